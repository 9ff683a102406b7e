#include "synthetic_edges.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/parallel.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"
#include "creg/graph/build.h"

namespace creg {
namespace {

// Candidates per random stream: part of what a seed means, so not to be changed.
constexpr std::int64_t candidates_per_stream = 1 << 12;
constexpr std::int64_t row_grain = 1 << 13;
constexpr int tries_before_uniform = 32;

// Draws candidate edges u < v; what is drawn depends on (seed, round, index) alone.
class CandidateSource {
 public:
  CandidateSource(const GeneratorSpec& spec, const BlockModel& blocks)
      : spec_(spec), blocks_(blocks), structural_homophily_(structural_homophily()) {}

  // With enough edges for it, the first `nodes` candidates of round 0 start at each node in turn:
  // everybody has an edge.
  bool everyone_starts_one() const { return spec_.edges >= spec_.nodes; }

  // Row and column ids of candidates [0, low.size()) of a round.
  void draw(const Context& context, std::uint32_t round, double uniform_share,
            std::span<std::int32_t> low, std::span<std::int32_t> high) const {
    const auto count = static_cast<std::int64_t>(low.size());
    parallel_for(context, 0, count, candidates_per_stream,
                 [&](std::int64_t first, std::int64_t last) {
                   context.throw_if_stopped();
                   RandomStream stream(spec_.seed, Purpose::generator_edges, round,
                                       static_cast<std::uint64_t>(first / candidates_per_stream));
                   for (std::int64_t i = first; i < last; ++i) {
                     const bool starts = round == 0 && i < spec_.nodes && everyone_starts_one();
                     const auto [u, v] =
                         starts ? partner_of(i, stream)
                         : stream.uniform_double() < uniform_share
                             ? uniform_pair(uniform_rank(stream), stream)
                             : partner_of(blocks_.weights.inside(everyone(), stream), stream);
                     const std::int32_t a = blocks_.node_of_rank[static_cast<std::size_t>(u)];
                     const std::int32_t b = blocks_.node_of_rank[static_cast<std::size_t>(v)];
                     low[static_cast<std::size_t>(i)] = std::min(a, b);
                     high[static_cast<std::size_t>(i)] = std::max(a, b);
                   }
                 });
  }

 private:
  using Pair = std::pair<std::int64_t, std::int64_t>;

  RankRange everyone() const { return {0, spec_.nodes}; }

  std::int64_t uniform_rank(RandomStream& stream) const {
    return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(spec_.nodes)));
  }

  Pair uniform_pair(std::int64_t u, RandomStream& stream) const {
    auto v = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(spec_.nodes - 1)));
    return {u, v >= u ? v + 1 : v};
  }

  Pair partner_of(std::int64_t u, RandomStream& stream) const {
    const auto community =
        static_cast<std::size_t>(blocks_.community_of_rank[static_cast<std::size_t>(u)]);
    const auto own = static_cast<std::size_t>(blocks_.class_of_community[community]);
    for (int tries = 0; tries < tries_before_uniform; ++tries) {
      const double x = stream.uniform_double();
      std::int64_t v = u;
      if (x < structural_homophily_ * spec_.community_share) {
        v = blocks_.weights.inside(blocks_.community_ranks[community], stream);
      } else if (x < structural_homophily_ || blocks_.class_ranks.size() == 1) {
        v = blocks_.weights.inside(blocks_.class_ranks[own], stream);
      } else {
        v = blocks_.weights.outside(blocks_.class_ranks[own], stream);
      }
      if (v != u) return {u, v};
    }
    return uniform_pair(u, stream);
  }

  // Noisy labels hide some of the structure: the share of edges that must stay inside a class for
  // spec_.homophily of them to join equal labels.
  double structural_homophily() const {
    double equal_by_chance = 0;
    for (const RankRange& range : blocks_.class_ranks) {
      const double share =
          static_cast<double>(range.end - range.begin) / static_cast<double>(spec_.nodes);
      equal_by_chance += share * share;
    }
    const double kept = (1 - spec_.label_noise) * (1 - spec_.label_noise);
    const double apart = (1 - kept) * equal_by_chance;
    return std::clamp((spec_.homophily - apart) / kept, 0.0, 1.0);
  }

  const GeneratorSpec& spec_;
  const BlockModel& blocks_;
  double structural_homophily_;
};

// Row by row: what `write(row, output)` says, which is called once to count (output null) and once
// to write.
template <class Write>
CsrMatrix rows_from(const Context& context, std::int64_t rows, const Write& write) {
  Buffer<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  parallel_for(context, 0, rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) offsets[r + 1] = write(r, nullptr);
  });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  Buffer<std::int32_t> columns(offsets[rows]);
  parallel_for(context, 0, rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) write(r, columns.data() + offsets[r]);
  });
  return {.rows = rows, .cols = rows, .offsets = std::move(offsets), .columns = std::move(columns)};
}

// Rows of two sorted matrices, each column once.
CsrMatrix unite(const Context& context, const CsrMatrix& a, const CsrMatrix& b) {
  return rows_from(context, a.rows, [&](std::int64_t r, std::int32_t* out) {
    const std::span<const std::int32_t> x = a.row(r);
    const std::span<const std::int32_t> y = b.row(r);
    std::size_t i = 0;
    std::size_t j = 0;
    std::int64_t count = 0;
    std::int32_t last = -1;
    while (i < x.size() || j < y.size()) {
      const bool from_x = j == y.size() || (i < x.size() && x[i] <= y[j]);
      const std::int32_t column = from_x ? x[i++] : y[j++];
      if (column == last) continue;
      last = column;
      if (out != nullptr) out[count] = column;
      ++count;
    }
    return count;
  });
}

CsrMatrix no_edges(std::int64_t nodes) {
  return {.rows = nodes,
          .cols = nodes,
          .offsets = std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1, 0)};
}

// Removes `excess` edges at random, none of those in `keep`.
CsrMatrix thin(const Context& context, const CsrMatrix& edges, const CsrMatrix& keep,
               std::int64_t excess, std::uint64_t seed) {
  if (excess == 0) return edges;
  std::vector<bool> removed(static_cast<std::size_t>(edges.nonzeros()), false);
  RandomStream stream(seed, Purpose::generator_thinning);
  for (std::int64_t left = excess; left > 0;) {
    const auto entry =
        static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(edges.nonzeros())));
    if (removed[static_cast<std::size_t>(entry)]) continue;
    const auto after = std::upper_bound(edges.offsets.begin(), edges.offsets.end(), entry);
    const std::span<const std::int32_t> kept = keep.row(after - edges.offsets.begin() - 1);
    if (std::binary_search(kept.begin(), kept.end(), edges.columns[entry])) continue;
    removed[static_cast<std::size_t>(entry)] = true;
    --left;
  }
  return rows_from(context, edges.rows, [&](std::int64_t r, std::int32_t* out) {
    std::int64_t count = 0;
    for (std::int64_t e = edges.offsets[r]; e < edges.offsets[r + 1]; ++e) {
      if (removed[static_cast<std::size_t>(e)]) continue;
      if (out != nullptr) out[count] = edges.columns[e];
      ++count;
    }
    return count;
  });
}

// Both directions of an upper triangle: a row is its smaller neighbours, then its larger ones.
CsrMatrix both_directions(const Context& context, const CsrMatrix& upper) {
  const CsrMatrix lower = transpose(context, upper);
  return rows_from(context, upper.rows, [&](std::int64_t r, std::int32_t* out) {
    const std::span<const std::int32_t> smaller = lower.row(r);
    const std::span<const std::int32_t> larger = upper.row(r);
    if (out != nullptr) {
      std::copy(larger.begin(), larger.end(), std::copy(smaller.begin(), smaller.end(), out));
    }
    return static_cast<std::int64_t>(smaller.size() + larger.size());
  });
}

}  // namespace

CsrMatrix make_edges(const Context& context, const GeneratorSpec& spec, const BlockModel& blocks) {
  const CandidateSource source(spec, blocks);
  ProgressTask progress(context, "generating " + spec.name + ": edges", spec.edges);
  CsrMatrix edges = no_edges(spec.nodes);
  CsrMatrix keep = edges;
  double draws_per_edge = 1;
  for (std::uint32_t round = 0; edges.nonzeros() < spec.edges; ++round) {
    const std::int64_t before = edges.nonzeros();
    const auto missing = static_cast<double>(spec.edges - before);
    // A little more than the last round's rate asks for, within four graphs' worth of memory.
    const auto draws =
        static_cast<std::int64_t>(std::min(std::ceil(missing * draws_per_edge * 1.02) + 16,
                                           4.0 * static_cast<double>(spec.edges) + 16));
    // Where the blocks are nearly full, uniform pairs gradually take over: there is always an end.
    constexpr double first_mixed_round = 8;
    const double uniform_share = std::clamp((round - first_mixed_round) / 8, 0.0, 1.0);
    {
      Buffer<std::int32_t> low(draws);
      Buffer<std::int32_t> high(draws);
      source.draw(context, round, uniform_share, low.span(), high.span());
      if (round == 0 && source.everyone_starts_one()) {
        const auto starts = static_cast<std::size_t>(spec.nodes);
        keep = csr_from_entries(context, spec.nodes, spec.nodes, low.span().first(starts),
                                high.span().first(starts));
      }
      const CsrMatrix drawn =
          csr_from_entries(context, spec.nodes, spec.nodes, low.span(), high.span());
      low = {};
      high = {};
      edges = unite(context, edges, drawn);
    }
    const std::int64_t gained = edges.nonzeros() - before;
    progress.advance(std::min(edges.nonzeros(), spec.edges) - before);
    draws_per_edge =
        static_cast<double>(draws) / static_cast<double>(std::max<std::int64_t>(1, gained));
  }
  edges = thin(context, edges, keep, edges.nonzeros() - spec.edges, spec.seed);
  invariant(edges.nonzeros() == spec.edges, "a generated graph has the promised edges");
  progress.finish();
  return both_directions(context, edges);
}

}  // namespace creg
