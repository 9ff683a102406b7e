#include "learn/nearest_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "kernels/distance.h"
#include "kernels/rows.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

constexpr std::int64_t query_rows = 128;
constexpr std::int64_t candidate_rows = 256;

struct Near {
  double distance = 0;
  std::int32_t row = 0;
  bool operator<(const Near& other) const {
    return distance != other.distance ? distance < other.distance : row < other.row;
  }
};

/// The k nearest met so far: a heap whose first is the farthest.
class NearHeap {
 public:
  explicit NearHeap(std::int64_t k) : k_(static_cast<std::size_t>(k)) { heap_.reserve(k_); }

  /// What is farther need not be offered.
  double bound() const {
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().distance;
  }
  void offer(Near one) {
    if (heap_.size() == k_) {
      if (!(one < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = one;
    } else {
      heap_.push_back(one);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }
  const std::vector<Near>& sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  std::size_t k_;
  std::vector<Near> heap_;
};

/// A block of rows against all.
class NearSearch {
 public:
  NearSearch(const DenseMatrix& values, std::span<const double> norms, std::int64_t k)
      : values_(values),
        norms_(norms),
        k_(k),
        queries_(static_cast<std::size_t>(query_rows * values.cols)),
        candidates_(static_cast<std::size_t>(candidate_rows * values.cols)),
        products_(static_cast<std::size_t>(query_rows * candidate_rows)) {}

  void search(std::int64_t first, std::int64_t last, NearestRows& found) {
    for (std::int64_t i = first; i < last; ++i) {
      std::copy_n(values_.row(i).data(), values_.cols,
                  queries_.begin() + (i - first) * values_.cols);
    }
    std::vector<NearHeap> heaps(static_cast<std::size_t>(last - first), NearHeap(k_));
    for (std::int64_t begin = 0; begin < values_.rows; begin += candidate_rows) {
      compare(first, last, begin, std::min(begin + candidate_rows, values_.rows), heaps);
    }
    for (std::int64_t i = first; i < last; ++i) {
      std::int64_t place = i * k_;
      for (const Near& near : heaps[static_cast<std::size_t>(i - first)].sorted()) {
        found.rows[static_cast<std::size_t>(place)] = near.row;
        found.squared_distances[static_cast<std::size_t>(place)] =
            static_cast<float>(std::max(0.0, near.distance));
        ++place;
      }
    }
  }

 private:
  void compare(std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end,
               std::vector<NearHeap>& heaps) {
    for (std::int64_t j = 0; j < candidate_rows; ++j) {
      for (std::int64_t c = 0; c < values_.cols; ++c) {
        candidates_[static_cast<std::size_t>(c * candidate_rows + j)] =
            begin + j < end ? static_cast<double>(values_.values[(begin + j) * values_.cols + c])
                            : 0.0;
      }
    }
    std::fill(products_.begin(), products_.end(), 0.0);
    learn::add_product(last - first, values_.cols, candidate_rows, queries_.data(), values_.cols, 1,
                       candidates_.data(), products_.data());
    for (std::int64_t i = first; i < last; ++i) {
      NearHeap& heap = heaps[static_cast<std::size_t>(i - first)];
      const double* const row = products_.data() + (i - first) * candidate_rows;
      const double own = norms_[static_cast<std::size_t>(i)];
      double bound = heap.bound();
      for (std::int64_t j = begin; j < end; ++j) {
        const double distance = own + norms_[static_cast<std::size_t>(j)] - 2 * row[j - begin];
        if (distance > bound || i == j) continue;
        heap.offer({distance, static_cast<std::int32_t>(j)});
        bound = heap.bound();
      }
    }
  }

  const DenseMatrix& values_;
  std::span<const double> norms_;
  std::int64_t k_;
  learn::AlignedVector queries_;
  learn::AlignedVector candidates_;  // a column each
  learn::AlignedVector products_;
};

}  // namespace

NearestRows nearest_rows(const Context& context, const DenseMatrix& values, std::int64_t k) {
  if (k < 1 || k >= values.rows) {
    fail_input({.what = "a row has not as many other rows near it",
                .found = with_commas(k),
                .expected = "1 to " + with_commas(values.rows - 1)});
  }
  std::vector<std::int32_t> all(static_cast<std::size_t>(values.rows));
  std::iota(all.begin(), all.end(), 0);
  learn::check_rows(values, all);
  std::vector<double> norms(all.size());
  for (std::int64_t i = 0; i < values.rows; ++i) {
    norms[static_cast<std::size_t>(i)] = learn::squared_norm(values.cols, values.row(i).data());
  }
  NearestRows found{.k = k};
  found.rows.resize(static_cast<std::size_t>(values.rows * k));
  found.squared_distances.resize(found.rows.size());
  const std::int64_t blocks = (values.rows + query_rows - 1) / query_rows;
  ProgressTask progress(context, "comparing rows", blocks);
  parallel_tasks(context, blocks, [&](std::int64_t block) {
    context.throw_if_stopped();
    const std::int64_t first = block * query_rows;
    NearSearch(values, norms, k).search(first, std::min(first + query_rows, values.rows), found);
    progress.advance();
  });
  progress.finish();
  return found;
}

}  // namespace creg
