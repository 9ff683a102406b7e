#include "graph/neighbour_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {
namespace {

constexpr std::int32_t not_found = -1;
// Up to here a linear look at the positions drawn so far is quicker than marking them.
constexpr std::int64_t few = 32;
// How far ahead memory is asked for: enough to cover a miss, few enough to stay in the cache.
constexpr std::int64_t rows_ahead = 8;
constexpr std::int64_t entries_ahead = 24;

template <class T>
void ask_for(const T* address) {
  __builtin_prefetch(address);
}

std::int64_t drawn_of(std::int64_t degree, int fanout, bool replace) {
  if (fanout == every_neighbour || degree == 0) return degree;
  return replace ? fanout : std::min<std::int64_t>(degree, fanout);
}

// A vector that only grows: what the last batch needed is there for the next one.
template <class T>
T* at_least(std::vector<T>& values, std::int64_t size) {
  if (values.size() < static_cast<std::size_t>(size)) {
    const std::size_t spare = values.size() / 2;
    values.resize(std::max(static_cast<std::size_t>(size), values.size() + spare));
  }
  return values.data();
}

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

template <class T>
Array<T> copy_of(const std::vector<T>& values, std::int64_t size) {
  Buffer<T> out(size);
  std::copy_n(values.data(), size, out.data());
  return out;
}

}  // namespace

/// What one call of `sample` works on.
class NeighbourSampler::Scratch {
 public:
  explicit Scratch(const CsrMatrix& gathered)
      : row_starts_(gathered.offsets.data()),
        neighbours_(gathered.columns.data()),
        local_(static_cast<std::size_t>(gathered.rows), not_found) {}

  void begin(std::span<const std::int32_t> seeds) {
    std::int32_t* const nodes = at_least(nodes_, static_cast<std::int64_t>(seeds.size()));
    at_least(offsets_, 1)[0] = 0;
    expanded_ = 0;
    found_ = 0;
    for (const std::int32_t node : seeds) {
      invariant(node >= 0 && static_cast<std::size_t>(node) < local_.size(),
                "a seed is a node of the graph");
      std::int32_t& number = local_[static_cast<std::size_t>(node)];
      invariant(number == not_found, "the seeds of a batch are distinct");
      number = static_cast<std::int32_t>(found_);
      nodes[found_++] = node;
    }
  }

  std::int64_t found() const { return found_; }

  std::int64_t bytes() const {
    return bytes_of(local_) + bytes_of(nodes_) + bytes_of(offsets_) + bytes_of(columns_) +
           bytes_of(rows_) + bytes_of(marks_) + bytes_of(taken_);
  }

  /// Draws the neighbours of the nodes that the last hop found, and numbers them.
  void expand(int fanout, bool replace, RandomStream stream) {
    const std::int64_t first = expanded_;
    expanded_ = found_;
    count(first, fanout, replace);
    draw(first, replace, stream);
    number(offsets_[static_cast<std::size_t>(first)],
           offsets_[static_cast<std::size_t>(expanded_)]);
  }

  /// Leaves the scratch ready for the next batch.
  SampledBatch take(std::vector<std::int64_t> known) {
    SampledBatch batch{.nodes = copy_of(nodes_, found_),
                       .offsets = copy_of(offsets_, expanded_ + 1),
                       .columns = copy_of(columns_, offsets_[static_cast<std::size_t>(expanded_)]),
                       .known = std::move(known)};
    for (const std::int32_t node : batch.nodes) local_[static_cast<std::size_t>(node)] = not_found;
    return batch;
  }

 private:
  struct Row {
    std::int64_t start;
    std::int64_t degree;
  };

  // Where the rows of the new nodes are in the graph, and where they will end in the batch.
  void count(std::int64_t first, int fanout, bool replace) {
    const std::int64_t* const starts = row_starts_;
    const std::int32_t* const nodes = nodes_.data();
    std::int64_t* const offsets = at_least(offsets_, expanded_ + 1);
    Row* const rows = at_least(rows_, expanded_ - first);
    for (std::int64_t i = first; i < expanded_; ++i) {
      ask_for(starts + nodes[std::min(i + rows_ahead, expanded_ - 1)]);
      const std::int64_t start = starts[nodes[i]];
      const std::int64_t degree = starts[nodes[i] + 1] - start;
      rows[i - first] = {start, degree};
      offsets[i + 1] = offsets[i] + drawn_of(degree, fanout, replace);
    }
  }

  void draw(std::int64_t first, bool replace, RandomStream& stream) {
    const std::int64_t* const offsets = offsets_.data();
    const Row* const rows = rows_.data();
    std::int32_t* const columns = at_least(columns_, offsets[expanded_]);
    for (std::int64_t i = first; i < expanded_; ++i) {
      ask_for(neighbours_ + rows[std::min(i + rows_ahead, expanded_ - 1) - first].start);
      const Row row = rows[i - first];
      const std::int32_t* const neighbours = neighbours_ + row.start;
      std::int32_t* const out = columns + offsets[i];
      const std::int64_t wanted = offsets[i + 1] - offsets[i];
      if (replace && wanted > 0) {
        draw_with_repeats(neighbours, row.degree, out, wanted, stream);
      } else if (wanted == row.degree) {
        std::copy_n(neighbours, wanted, out);
      } else if (wanted <= few && row.degree <= std::numeric_limits<std::uint32_t>::max()) {
        draw_few(neighbours, row.degree, out, wanted, stream);
      } else {
        draw_many(neighbours, row.degree, out, wanted, stream);
      }
    }
  }

  static void draw_with_repeats(const std::int32_t* neighbours, std::int64_t degree,
                                std::int32_t* out, std::int64_t wanted, RandomStream& stream) {
    for (std::int64_t k = 0; k < wanted; ++k) {
      out[k] = neighbours[stream.below(static_cast<std::uint64_t>(degree))];
    }
  }

  // Floyd's subset: the k-th draw is below degree - wanted + k + 1, and where it was drawn before,
  // the largest position that it could have been stands for it. Each subset is equally likely.
  // Positions have 32 bits so that many are compared at once.
  static void draw_few(const std::int32_t* neighbours, std::int64_t degree, std::int32_t* out,
                       std::int64_t wanted, RandomStream& stream) {
    std::array<std::uint32_t, few> taken;
    auto largest = static_cast<std::uint32_t>(degree - wanted);
    for (std::size_t k = 0; k < static_cast<std::size_t>(wanted); ++k, ++largest) {
      const auto drawn = static_cast<std::uint32_t>(stream.below(largest + std::uint64_t{1}));
      std::uint32_t repeated = 0;
      for (std::size_t i = 0; i < k; ++i) repeated |= taken[i] == drawn ? 1U : 0U;
      const std::uint32_t position = repeated != 0 ? largest : drawn;
      taken[k] = position;
      out[k] = neighbours[position];
    }
  }

  // The same with a mark per position, which are cleared one by one afterwards.
  void draw_many(const std::int32_t* neighbours, std::int64_t degree, std::int32_t* out,
                 std::int64_t wanted, RandomStream& stream) {
    std::uint8_t* const marks = at_least(marks_, degree);
    std::int64_t* const taken = at_least(taken_, wanted);
    for (std::int64_t k = 0; k < wanted; ++k) {
      const std::int64_t largest = degree - wanted + k;
      const auto drawn =
          static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(largest) + 1));
      const std::int64_t position = marks[drawn] != 0 ? largest : drawn;
      marks[position] = 1;
      taken[k] = position;
      out[k] = neighbours[position];
    }
    for (std::int64_t k = 0; k < wanted; ++k) marks[taken[k]] = 0;
  }

  // Local numbers for the graph's in columns [begin, end); unknown nodes get the next ones. Without
  // a branch: whether a node is new cannot be guessed.
  void number(std::int64_t begin, std::int64_t end) {
    std::int32_t* const columns = columns_.data();
    std::int32_t* const local = local_.data();
    const auto all = static_cast<std::int64_t>(local_.size());
    // One more than can be found: the last known node is followed by a write that does not count.
    std::int32_t* const nodes = at_least(nodes_, std::min(found_ + end - begin, all) + 1);
    std::int64_t found = found_;
    for (std::int64_t k = begin; k < end; ++k) {
      ask_for(local + columns[std::min(k + entries_ahead, end - 1)]);
      const std::int32_t node = columns[k];
      const std::int32_t known = local[node];
      const bool is_new = known == not_found;
      const std::int32_t here = is_new ? static_cast<std::int32_t>(found) : known;
      nodes[found] = node;
      local[node] = here;
      columns[k] = here;
      found += is_new ? 1 : 0;
    }
    found_ = found;
  }

  const std::int64_t* row_starts_;
  const std::int32_t* neighbours_;
  std::vector<std::int32_t> local_;  // by the graph's number; not_found between batches
  std::vector<std::int32_t> nodes_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> columns_;
  std::vector<Row> rows_;            // of the hop that is expanded
  std::vector<std::uint8_t> marks_;  // 0 between rows
  std::vector<std::int64_t> taken_;
  std::int64_t expanded_ = 0;
  std::int64_t found_ = 0;
};

/// As many as there were calls at the same time.
class NeighbourSampler::ScratchPool {
 public:
  std::unique_ptr<Scratch> take(const CsrMatrix& gathered) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>(gathered);
  }

  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

  std::int64_t bytes() {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    for (const std::unique_ptr<Scratch>& scratch : free_) sum += scratch->bytes();
    return sum;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;
};

NeighbourSampler::NeighbourSampler(CsrMatrix gathered, SamplerOptions options)
    : gathered_(std::move(gathered)),
      options_(std::move(options)),
      scratch_(std::make_unique<ScratchPool>()) {
  invariant(gathered_.rows == gathered_.cols && gathered_.offsets.size() == gathered_.rows + 1,
            "neighbours are drawn from a square matrix");
  if (options_.fanouts.empty()) {
    fail_input({.what = "neighbour sampling needs a fanout for each hop",
                .found = "none",
                .hint = "such as 10,10,25: one per layer, from the seeds outward"});
  }
  for (const int fanout : options_.fanouts) {
    if (fanout >= 1 || fanout == every_neighbour) continue;
    fail_input({.what = "a fanout is a number of neighbours",
                .found = std::to_string(fanout),
                .expected = fmt::format("1 or more, or {} for all of them", every_neighbour)});
  }
}

NeighbourSampler::~NeighbourSampler() = default;

SampledBatch NeighbourSampler::sample(std::span<const std::int32_t> seeds, std::uint64_t seed,
                                      std::uint32_t step) const {
  // After an exception the scratch is not given back: nobody meets it half used.
  std::unique_ptr<Scratch> scratch = scratch_->take(gathered_);
  scratch->begin(seeds);
  std::vector<std::int64_t> known = {scratch->found()};
  for (std::size_t hop = 0; hop < options_.fanouts.size(); ++hop) {
    const bool all = options_.fanouts[hop] == every_neighbour;
    scratch->expand(options_.fanouts[hop], options_.replace && !all,
                    RandomStream(seed, Purpose::neighbour_sampling, step, hop));
    known.push_back(scratch->found());
  }
  SampledBatch batch = scratch->take(std::move(known));
  scratch_->give_back(std::move(scratch));
  return batch;
}

std::int64_t NeighbourSampler::kept_bytes() const {
  return scratch_->bytes();
}

CsrMatrix SampledBatch::block(int hop) const {
  invariant(hop >= 0 && hop < hops(), "a hop is one of the batch's");
  const std::int64_t rows = known[static_cast<std::size_t>(hop)];
  return {.rows = rows,
          .cols = known[static_cast<std::size_t>(hop) + 1],
          .offsets = offsets.first(rows + 1),
          .columns = columns.first(offsets[rows]),
          .values = {}};
}

}  // namespace creg
