#include "graph/synthetic/synthetic_edges.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"
#include "graph/build.h"

namespace creg {
namespace {

// Candidates per random stream: part of what a seed means, so not to be changed.
constexpr std::int64_t candidates_per_stream = 1 << 12;
constexpr std::int64_t edge_row_grain = 1 << 13;
constexpr int tries_before_uniform = 32;

// Noisy labels hide some of the structure: the share of edges that must stay inside a class for
// spec.homophily of them to join equal labels.
double structural_homophily(const GeneratorSpec& spec, const BlockModel& blocks) {
  double equal_by_chance = 0;
  for (const RankRange& range : blocks.class_ranks) {
    const double share =
        static_cast<double>(range.end - range.begin) / static_cast<double>(spec.nodes);
    equal_by_chance += share * share;
  }
  const double kept = (1 - spec.label_noise) * (1 - spec.label_noise);
  const double apart = (1 - kept) * equal_by_chance;
  return std::clamp((spec.homophily - apart) / kept, 0.0, 1.0);
}

// How many of the edges stay inside a class.
std::int64_t edges_inside(const Context& context, const CsrMatrix& edges,
                          const BlockModel& blocks) {
  const auto class_of = [&](std::int64_t node) {
    return blocks.class_of_community[static_cast<std::size_t>(
        blocks.community_of_node[static_cast<std::size_t>(node)])];
  };
  std::atomic<std::int64_t> inside = 0;
  parallel_for(context, 0, edges.rows, edge_row_grain, [&](std::int64_t first, std::int64_t last) {
    std::int64_t count = 0;
    for (std::int64_t u = first; u < last; ++u) {
      const std::int32_t own = class_of(u);
      for (const std::int32_t v : edges.row(u)) count += class_of(v) == own ? 1 : 0;
    }
    inside += count;
  });
  return inside;
}

// Draws candidate edges u < v; what is drawn depends on (seed, round, index) alone.
class CandidateSource {
 public:
  CandidateSource(const GeneratorSpec& spec, const BlockModel& blocks)
      : spec_(spec), blocks_(blocks) {}

  // With enough edges for it, the first `nodes` candidates of round 0 start at each node in turn:
  // everybody has an edge.
  bool everyone_starts_one() const { return spec_.edges >= spec_.nodes; }

  // Row and column ids of candidates [0, low.size()) of a round: `uniform_share` of them any pair,
  // of the others `inside_share` within a class.
  void draw(const Context& context, std::uint32_t round, double uniform_share, double inside_share,
            std::span<std::int32_t> low, std::span<std::int32_t> high) const {
    const auto count = static_cast<std::int64_t>(low.size());
    const std::int64_t starts = round == 0 && everyone_starts_one() ? spec_.nodes : 0;
    parallel_for(
        context, 0, count, candidates_per_stream, [&](std::int64_t first, std::int64_t last) {
          context.throw_if_stopped();
          RandomStream stream(spec_.seed, Purpose::generator_edges, round,
                              static_cast<std::uint64_t>(first / candidates_per_stream));
          for (std::int64_t i = first; i < last; ++i) {
            const auto [u, v] = candidate(i, starts, count, uniform_share, inside_share, stream);
            const std::int32_t a = blocks_.node_of_rank[static_cast<std::size_t>(u)];
            const std::int32_t b = blocks_.node_of_rank[static_cast<std::size_t>(v)];
            low[static_cast<std::size_t>(i)] = std::min(a, b);
            high[static_cast<std::size_t>(i)] = std::max(a, b);
          }
        });
  }

 private:
  using Pair = std::pair<std::int64_t, std::int64_t>;

  // The first `starts` candidates start at each node in turn, the others at nodes spread evenly
  // over the total weight. That gives every node its share and neighbouring candidates
  // neighbouring ranks, which the cache rewards.
  Pair candidate(std::int64_t i, std::int64_t starts, std::int64_t count, double uniform_share,
                 double inside_share, RandomStream& stream) const {
    if (i < starts) return partner_of(i, inside_share, stream);
    if (stream.uniform_double() < uniform_share) {
      return uniform_pair(uniform_rank(stream), stream);
    }
    const double fraction = (static_cast<double>(i - starts) + stream.uniform_double()) /
                            static_cast<double>(count - starts);
    return partner_of(blocks_.weights.at_fraction(fraction), inside_share, stream);
  }

  std::int64_t uniform_rank(RandomStream& stream) const {
    return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(spec_.nodes)));
  }

  Pair uniform_pair(std::int64_t u, RandomStream& stream) const {
    auto v = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(spec_.nodes - 1)));
    return {u, v >= u ? v + 1 : v};
  }

  Pair partner_of(std::int64_t u, double inside_share, RandomStream& stream) const {
    const auto community =
        static_cast<std::size_t>(blocks_.community_of_rank[static_cast<std::size_t>(u)]);
    const auto own = static_cast<std::size_t>(blocks_.class_of_community[community]);
    for (int tries = 0; tries < tries_before_uniform; ++tries) {
      const double x = stream.uniform_double();
      std::int64_t v = u;
      if (x < inside_share * spec_.community_share) {
        v = blocks_.weights.inside(blocks_.community_ranks[community], stream);
      } else if (x < inside_share || blocks_.class_ranks.size() == 1) {
        v = blocks_.weights.inside(blocks_.class_ranks[own], stream);
      } else {
        v = blocks_.weights.outside(blocks_.class_ranks[own], stream);
      }
      if (v != u) return {u, v};
    }
    return uniform_pair(u, stream);
  }

  const GeneratorSpec& spec_;
  const BlockModel& blocks_;
};

// Row by row: what `write(row, output)` says, which is called once to count (output null) and once
// to write.
template <class Write>
CsrMatrix rows_from(const Context& context, std::int64_t rows, const Write& write) {
  Buffer<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  parallel_for(context, 0, rows, edge_row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) offsets[r + 1] = write(r, nullptr);
  });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  Buffer<std::int32_t> columns(offsets[rows]);
  parallel_for(context, 0, rows, edge_row_grain, [&](std::int64_t first, std::int64_t last) {
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
  const double inside_target = structural_homophily(spec, blocks) * static_cast<double>(spec.edges);
  double inside_share = structural_homophily(spec, blocks);
  double uniform_share = 0;
  double draws_per_edge = 1;
  for (std::uint32_t round = 0; edges.nonzeros() < spec.edges; ++round) {
    const std::int64_t before = edges.nonzeros();
    const auto missing = static_cast<double>(spec.edges - before);
    // Repeats are likelier inside the blocks. The first round leaves room for the later ones, which
    // know how many edges did stay inside, to make up for that.
    const auto starts = source.everyone_starts_one() ? static_cast<double>(spec.nodes) : 0.0;
    const double wanted =
        round == 0 ? std::max(0.9 * missing, starts) : 1.02 * missing * draws_per_edge;
    // Within four graphs' worth of memory, and always a few.
    const auto draws = static_cast<std::int64_t>(
        std::min(std::ceil(wanted), 4 * static_cast<double>(spec.edges)) + 16);
    if (round > 0) {
      const auto inside = static_cast<double>(edges_inside(context, edges, blocks));
      inside_share = std::clamp((inside_target - inside) / missing, 0.0, 1.0);
    }
    // Where the blocks are nearly full, uniform pairs take over: there is always an end.
    constexpr double too_many_draws = 4;
    if (draws_per_edge > too_many_draws) uniform_share = std::min(1.0, uniform_share + 0.25);
    {
      Buffer<std::int32_t> low(draws);
      Buffer<std::int32_t> high(draws);
      source.draw(context, round, uniform_share, inside_share, low.span(), high.span());
      if (round == 0 && source.everyone_starts_one()) {
        const auto first = static_cast<std::size_t>(spec.nodes);
        keep = csr_from_entries(context, spec.nodes, spec.nodes, low.span().first(first),
                                high.span().first(first));
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
