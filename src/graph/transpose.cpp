#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "graph/build.h"

namespace creg {
namespace {

constexpr std::int64_t smallest_part = 1 << 15;
constexpr std::int64_t smallest_group = 1 << 20;
constexpr int bucket_bits = 10;

struct Entry {
  std::int32_t column;
  std::int32_t row;
};

struct WeightedEntry {
  std::int32_t column;
  std::int32_t row;
  float value;
};

// A stable sort of the entries by column, in two steps that both stay in the cache: into buckets of
// neighbouring columns, then inside each bucket. Every part of the rows knows where in a bucket its
// entries go, so the order is the same for any number of parts. A quarter of the entries is in
// buckets at a time.
template <class E>
class Transposer {
 public:
  Transposer(const Context& context, const CsrMatrix& matrix)
      : context_(context),
        m_(matrix),
        shift_(std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m_.cols))) -
                               bucket_bits)),
        buckets_((m_.cols >> shift_) + 1),
        offsets_(m_.cols + 1),
        columns_(m_.nonzeros()),
        values_(m_.values.empty() ? 0 : m_.nonzeros()) {}

  CsrMatrix run() {
    split_rows();
    count_buckets();
    const std::int64_t budget = std::max(m_.nonzeros() / 4, smallest_group);
    for (std::int64_t first = 0; first < buckets_;) {
      std::int64_t last = first + 1;
      while (last < buckets_ && start(last + 1) - start(first) <= budget) ++last;
      transpose_group(first, last);
      first = last;
    }
    offsets_[m_.cols] = m_.nonzeros();
    return {.rows = m_.cols,
            .cols = m_.rows,
            .offsets = std::move(offsets_),
            .columns = std::move(columns_),
            .values = m_.values.empty() ? Array<float>() : Array<float>(std::move(values_))};
  }

 private:
  std::int64_t start(std::int64_t bucket) const {
    return starts_[static_cast<std::size_t>(bucket)];
  }

  // Ranges of rows with about as many entries each.
  void split_rows() {
    const std::int64_t parts =
        std::clamp<std::int64_t>(m_.nonzeros() / smallest_part, 1, context_.threads());
    bounds_.push_back(0);
    for (std::int64_t p = 1; p < parts; ++p) {
      const std::int64_t entry = m_.nonzeros() / parts * p;
      bounds_.push_back(std::upper_bound(m_.offsets.begin(), m_.offsets.end(), entry) -
                        m_.offsets.begin() - 1);
    }
    bounds_.push_back(m_.rows);
  }

  template <class Body>
  void for_parts(Body body) const {
    parallel_tasks(context_, static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t p) {
      const auto part = static_cast<std::size_t>(p);
      body(part, bounds_[part], bounds_[part + 1]);
    });
  }

  void count_buckets() {
    cursors_.resize(bounds_.size() - 1);
    for_parts([&](std::size_t part, std::int64_t first, std::int64_t last) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(buckets_), 0);
      if (first < last) {
        for (std::int64_t e = m_.offsets[first]; e < m_.offsets[last]; ++e) {
          const std::int32_t column = m_.columns[e];
          invariant(column >= 0 && column < m_.cols, "entries lie inside the matrix");
          ++counts[static_cast<std::size_t>(column >> shift_)];
        }
      }
      cursors_[part] = std::move(counts);
    });
    starts_.assign(1, 0);
    for (std::size_t b = 0; b < static_cast<std::size_t>(buckets_); ++b) {
      std::int64_t end = starts_[b];
      for (const std::vector<std::int64_t>& counts : cursors_) end += counts[b];
      starts_.push_back(end);
    }
  }

  void transpose_group(std::int64_t first_bucket, std::int64_t last_bucket) {
    Buffer<E> entries(start(last_bucket) - start(first_bucket));
    for (std::int64_t b = first_bucket; b < last_bucket; ++b) {
      std::int64_t next = start(b) - start(first_bucket);
      for (std::vector<std::int64_t>& cursor : cursors_) {
        next += std::exchange(cursor[static_cast<std::size_t>(b)], next);
      }
    }
    const auto group = static_cast<std::uint64_t>(last_bucket - first_bucket);
    for_parts([&](std::size_t part, std::int64_t first, std::int64_t last) {
      std::int64_t* cursor = cursors_[part].data();
      for (std::int64_t r = first; r < last; ++r) {
        for (std::int64_t e = m_.offsets[r]; e < m_.offsets[r + 1]; ++e) {
          const std::int64_t bucket = m_.columns[e] >> shift_;
          if (static_cast<std::uint64_t>(bucket - first_bucket) >= group) continue;
          E& entry = entries[cursor[bucket]++];
          entry.column = m_.columns[e];
          entry.row = static_cast<std::int32_t>(r);
          if constexpr (std::is_same_v<E, WeightedEntry>) entry.value = m_.values[e];
        }
      }
    });
    parallel_tasks(context_, last_bucket - first_bucket, [&](std::int64_t i) {
      const std::int64_t bucket = first_bucket + i;
      const E* from = entries.data() + (start(bucket) - start(first_bucket));
      sort_bucket(bucket, {from, static_cast<std::size_t>(start(bucket + 1) - start(bucket))});
    });
  }

  void sort_bucket(std::int64_t bucket, std::span<const E> entries) {
    const std::int64_t first = bucket << shift_;
    const std::int64_t last = std::min((bucket + 1) << shift_, m_.cols);
    if (first >= last) return;
    std::vector<std::int64_t> cursor(static_cast<std::size_t>(last - first), 0);
    for (const E& entry : entries) ++cursor[static_cast<std::size_t>(entry.column - first)];
    std::int64_t next = start(bucket);
    for (std::int64_t c = first; c < last; ++c) {
      offsets_[c] = next;
      next += std::exchange(cursor[static_cast<std::size_t>(c - first)], next);
    }
    for (const E& entry : entries) {
      const std::int64_t place = cursor[static_cast<std::size_t>(entry.column - first)]++;
      columns_[place] = entry.row;
      if constexpr (std::is_same_v<E, WeightedEntry>) values_[place] = entry.value;
    }
  }

  const Context& context_;
  const CsrMatrix& m_;
  int shift_;
  std::int64_t buckets_;
  Buffer<std::int64_t> offsets_;
  Buffer<std::int32_t> columns_;
  Buffer<float> values_;
  std::vector<std::int64_t> bounds_;                // rows of each part
  std::vector<std::int64_t> starts_;                // entries before each bucket
  std::vector<std::vector<std::int64_t>> cursors_;  // per part and bucket
};

}  // namespace

CsrMatrix transpose(const Context& context, const CsrMatrix& matrix) {
  return matrix.values.empty() ? Transposer<Entry>(context, matrix).run()
                               : Transposer<WeightedEntry>(context, matrix).run();
}

}  // namespace creg
