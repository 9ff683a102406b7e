#include "creg/graph/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/build.h"
#include "graph/transforms.h"

namespace creg {
namespace {

constexpr std::int64_t val_divisor = 20;
constexpr std::int64_t test_divisor = 10;
constexpr std::int64_t pair_grain = 1 << 16;

// Moves `count` edges drawn at random to the front, in random order.
void draw_to_front(std::vector<NodePair>& edges, std::int64_t count, RandomStream& stream) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(edges[i], edges[i + stream.below(edges.size() - i)]);
  }
}

// Every pair that is no edge; for graphs where these are fewer than the edges.
std::vector<NodePair> all_non_edges(std::int64_t nodes, std::span<const NodePair> edges) {
  std::vector<NodePair> out;
  auto next = edges.begin();
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t v = u + 1; v < nodes; ++v) {
      if (next != edges.end() && *next == NodePair{u, v}) {
        ++next;
      } else {
        out.push_back({u, v});
      }
    }
  }
  return out;
}

// At least `count` distinct non-edges: random pairs, those that are edges rejected. At most half of
// all pairs are edges here, so that the rounds shrink quickly.
std::vector<NodePair> drawn_non_edges(std::int64_t nodes, std::span<const NodePair> edges,
                                      std::int64_t count, std::uint64_t seed) {
  std::vector<NodePair> out;
  for (std::uint32_t round = 1; static_cast<std::int64_t>(out.size()) < count; ++round) {
    RandomStream stream(seed, Purpose::edge_negatives, round);
    const std::int64_t missing = count - static_cast<std::int64_t>(out.size());
    std::vector<NodePair> fresh;
    for (std::int64_t k = 0; k < missing + missing / 8 + 8; ++k) {
      const auto a = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes)));
      auto b = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes - 1)));
      if (b >= a) ++b;
      const NodePair pair{std::min(a, b), std::max(a, b)};
      if (!std::binary_search(edges.begin(), edges.end(), pair)) fresh.push_back(pair);
    }
    std::sort(fresh.begin(), fresh.end());
    std::vector<NodePair> merged;
    merged.reserve(out.size() + fresh.size());
    std::merge(out.begin(), out.end(), fresh.begin(), fresh.end(), std::back_inserter(merged));
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    out = std::move(merged);
  }
  return out;
}

CsrMatrix symmetric_csr(const Context& context, std::int64_t nodes,
                        std::span<const NodePair> edges) {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  rows.reserve(edges.size() * 2);
  cols.reserve(edges.size() * 2);
  for (const NodePair& edge : edges) {
    rows.insert(rows.end(), {edge.u, edge.v});
    cols.insert(cols.end(), {edge.v, edge.u});
  }
  // Ascending rows: the same edges are the same bytes, in whatever order they come.
  return sort_rows(context, csr_from_entries(context, nodes, nodes, rows, cols));
}

std::vector<NodePair> sorted_part(std::span<const NodePair> pairs) {
  std::vector<NodePair> part(pairs.begin(), pairs.end());
  std::sort(part.begin(), part.end());
  return part;
}

Graph training_graph(const Context& context, const Graph& graph, std::span<const NodePair> edges) {
  Graph train = graph;
  train.directed = false;
  train.adjacency = symmetric_csr(context, graph.nodes(), edges);
  return train;
}

struct Part {
  const char* name;
  const std::vector<NodePair>* pairs;
};

std::array<Part, 4> parts_of(const EdgeSplit& split) {
  return {{{"val", &split.val},
           {"test", &split.test},
           {"val_non_edges", &split.val_non_edges},
           {"test_non_edges", &split.test_non_edges}}};
}

// Every list is of ascending, different pairs u < v of the graph.
void check_lists(const EdgeSplit& split, std::int64_t nodes, const std::string& source) {
  for (const auto& [name, pairs] : parts_of(split)) {
    if (pairs->empty()) {
      fail_input({.what = "a part of the edge split is empty",
                  .file = source,
                  .place = name,
                  .expected = "at least one pair in each of val, test and their non-edges"});
    }
    for (std::size_t k = 0; k < pairs->size(); ++k) {
      const NodePair pair = (*pairs)[k];
      const bool fits = pair.u >= 0 && pair.u < pair.v && pair.v < nodes;
      if (fits && (k == 0 || (*pairs)[k - 1] < pair)) continue;
      fail_input({.what = fits ? "the pairs of an edge split are not in ascending order"
                               : "not a pair of two nodes, the smaller one first",
                  .file = source,
                  .place = fmt::format("{}[{}]", name, k),
                  .found = fmt::format("{} - {}", pair.u, pair.v),
                  .expected = fits ? std::string("each pair once, ascending")
                                   : fmt::format("nodes 0 to {}", nodes - 1)});
    }
  }
}

}  // namespace

std::vector<NodePair> distinct_edges(const Context& context, const CsrMatrix& adjacency) {
  Graph bare;
  bare.adjacency = adjacency;
  bare.adjacency.values = {};
  const CsrMatrix simple = simple_graph(context, std::move(bare)).adjacency;
  std::vector<NodePair> edges;
  edges.reserve(static_cast<std::size_t>(simple.nonzeros() / 2));
  for (std::int32_t u = 0; u < simple.rows; ++u) {
    for (const std::int32_t v : simple.row(u)) {
      if (u < v) edges.push_back({u, v});
    }
  }
  return edges;
}

LeakCheck check_edge_split(const Context& context, const EdgeSplit& split,
                           const std::string& source) {
  check_lists(split, split.train.nodes(), source);
  std::vector<NodePair> held_out;
  for (const auto& [name, pairs] : parts_of(split)) {
    std::vector<NodePair> merged;
    merged.reserve(held_out.size() + pairs->size());
    std::merge(held_out.begin(), held_out.end(), pairs->begin(), pairs->end(),
               std::back_inserter(merged));
    const auto twice = std::adjacent_find(merged.begin(), merged.end());
    if (twice != merged.end()) {
      fail_input({.what = "a pair is in two parts of the edge split",
                  .file = source,
                  .place = name,
                  .found = fmt::format("{} - {}", twice->u, twice->v),
                  .expected = "held-out edges and non-edges that share nothing"});
    }
    held_out = std::move(merged);
  }
  // Neither a held-out edge nor a non-edge may be among the training edges; that no non-edge is a
  // held-out edge was seen above.
  check_no_leak(context, split.train.adjacency, held_out, source);
  return {.training_edges = split.train.adjacency.nonzeros() / 2,
          .held_out_edges = static_cast<std::int64_t>(split.val.size() + split.test.size()),
          .non_edges =
              static_cast<std::int64_t>(split.val_non_edges.size() + split.test_non_edges.size())};
}

EdgeSplit apply_edge_split(const Context& context, const Graph& graph, EdgeSplit split,
                           const std::string& source) {
  check_lists(split, graph.nodes(), source);
  const std::vector<NodePair> edges = distinct_edges(context, graph.adjacency);
  std::vector<NodePair> left = edges;
  for (const auto& [name, pairs] : {Part{"val", &split.val}, Part{"test", &split.test}}) {
    for (std::size_t k = 0; k < pairs->size(); ++k) {
      const NodePair pair = (*pairs)[k];
      if (std::binary_search(edges.begin(), edges.end(), pair)) continue;
      fail_input({.what = "a held-out edge is not in the graph",
                  .file = source,
                  .place = fmt::format("{}[{}]", name, k),
                  .found = fmt::format("{} - {}", pair.u, pair.v),
                  .hint = "the split was made of another graph"});
    }
    std::vector<NodePair> rest;
    std::set_difference(left.begin(), left.end(), pairs->begin(), pairs->end(),
                        std::back_inserter(rest));
    left = std::move(rest);
  }
  if (left.empty()) {
    fail_input({.what = "the edge split leaves no edges to train on", .file = source});
  }
  split.train = training_graph(context, graph, left);
  check_edge_split(context, split, source);
  return split;
}

void check_no_leak(const Context& context, const CsrMatrix& training,
                   std::span<const NodePair> held_out, const std::string& source) {
  const CsrMatrix sorted = sort_rows(context, training);
  const auto joined = [&](std::int32_t from, std::int32_t to) {
    const std::span<const std::int32_t> row = sorted.row(from);
    return std::binary_search(row.begin(), row.end(), to);
  };
  const auto pairs = static_cast<std::int64_t>(held_out.size());
  parallel_for(context, 0, pairs, pair_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const auto [u, v] = held_out[static_cast<std::size_t>(k)];
      if (u < 0 || v < 0 || u >= sorted.rows || v >= sorted.rows) {
        fail_input({.what = "a held-out pair names a node that is not in the graph",
                    .file = source,
                    .place = fmt::format("pair {}", k),
                    .found = fmt::format("{} - {}", u, v),
                    .expected = fmt::format("0 to {}", sorted.rows - 1)});
      }
      if (joined(u, v) || joined(v, u)) {
        fail_input({.what = "a held-out pair is in the training graph",
                    .file = source,
                    .place = fmt::format("pair {}", k),
                    .found = fmt::format("{} - {}", u, v),
                    .expected = "training edges and held-out pairs that share nothing"});
      }
    }
  });
}

std::int64_t training_edges(std::int64_t edges) {
  return edges - edges / val_divisor - edges / test_divisor;
}

EdgeSplit split_edges(const Context& context, const Graph& graph, std::uint64_t seed) {
  const std::string source = graph.name.empty() ? "the graph" : graph.name;
  const std::int64_t nodes = graph.nodes();
  std::vector<NodePair> edges = distinct_edges(context, graph.adjacency);
  const auto m = static_cast<std::int64_t>(edges.size());
  const std::int64_t n_val = m / val_divisor;
  const std::int64_t n_test = m / test_divisor;
  if (n_val == 0) {
    fail_input({.what = "too few edges to hold out 5 % and 10 % of them",
                .file = source,
                .found = fmt::format("{} distinct edges", m),
                .expected = fmt::format("{} or more", val_divisor)});
  }
  const std::int64_t held_out = n_val + n_test;
  const std::int64_t absent = nodes * (nodes - 1) / 2 - m;
  if (absent < held_out) {
    fail_input({.what = "the graph is too dense: it has fewer non-edges than edges to hold out",
                .file = source,
                .found = fmt::format("{} pairs without an edge", with_commas(absent)),
                .expected = fmt::format("{} or more", with_commas(held_out))});
  }

  std::vector<NodePair> non_edges =
      absent < m ? all_non_edges(nodes, edges) : drawn_non_edges(nodes, edges, held_out, seed);
  RandomStream negatives(seed, Purpose::edge_negatives);
  draw_to_front(non_edges, held_out, negatives);
  RandomStream positives(seed, Purpose::edge_split);
  draw_to_front(edges, held_out, positives);

  const auto part = [](const std::vector<NodePair>& pairs, std::int64_t first, std::int64_t count) {
    return std::span<const NodePair>(pairs).subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(count));
  };
  EdgeSplit split;
  split.train = training_graph(context, graph, part(edges, held_out, m - held_out));
  split.val = sorted_part(part(edges, 0, n_val));
  split.test = sorted_part(part(edges, n_val, n_test));
  split.val_non_edges = sorted_part(part(non_edges, 0, n_val));
  split.test_non_edges = sorted_part(part(non_edges, n_val, n_test));
  check_edge_split(context, split, source);
  return split;
}

}  // namespace creg
