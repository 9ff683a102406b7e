#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/neighbour_sampler.h"
#include "support/arbitrary_graph.h"

namespace creg::neighbour_sampler_properties_test {
namespace {

using Nodes = std::vector<std::int32_t>;

struct Case {
  CsrMatrix graph;
  SamplerOptions options;
  Nodes seeds;
  SampledBatch batch;
};

Case any_case() {
  Case out;
  const auto nodes = test::in_range<std::int32_t>(1, 40);
  out.graph = test::arbitrary_adjacency(nodes, *rc::gen::arbitrary<bool>());
  for (int hop = test::in_range(1, 4); hop > 0; --hop) {
    const int fanout = test::in_range(0, 7);
    out.options.fanouts.push_back(fanout == 0 ? every_neighbour : fanout);
  }
  out.options.replace = *rc::gen::arbitrary<bool>();
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (test::in_range(0, 4) == 0) out.seeds.push_back(i);
  }
  if (*rc::gen::arbitrary<bool>()) std::reverse(out.seeds.begin(), out.seeds.end());
  out.batch = NeighbourSampler(out.graph, out.options)
                  .sample(out.seeds, *rc::gen::arbitrary<std::uint64_t>(),
                          *rc::gen::arbitrary<std::uint32_t>());
  return out;
}

/// The hop in which a local row was expanded.
std::size_t hop_of(const SampledBatch& batch, std::int64_t row) {
  std::size_t hop = 0;
  while (batch.known[hop] <= row) ++hop;
  return hop;
}

Nodes graph_row(const CsrMatrix& graph, std::int32_t node) {
  Nodes row(graph.row(node).begin(), graph.row(node).end());
  std::sort(row.begin(), row.end());
  return row;
}

Nodes drawn_row(const SampledBatch& batch, std::int64_t row) {
  Nodes out;
  for (std::int64_t k = batch.offsets[row]; k < batch.offsets[row + 1]; ++k) {
    out.push_back(batch.nodes[batch.columns[k]]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

RC_GTEST_PROP(NeighbourSamplerProperties, RowsAreDrawnFromTheGraphsRows, ()) {
  const Case c = any_case();
  const std::int64_t rows = c.batch.offsets.size() - 1;
  RC_ASSERT(rows == c.batch.known[c.batch.known.size() - 2]);
  for (std::int64_t r = 0; r < rows; ++r) {
    const Nodes whole = graph_row(c.graph, c.batch.nodes[r]);
    const Nodes drawn = drawn_row(c.batch, r);
    const int fanout = c.options.fanouts[hop_of(c.batch, r)];
    if (fanout == every_neighbour) {
      RC_ASSERT(drawn == whole);
    } else if (c.options.replace) {
      RC_ASSERT(drawn.size() == (whole.empty() ? 0U : static_cast<std::size_t>(fanout)));
      for (const std::int32_t v : drawn) {
        RC_ASSERT(std::binary_search(whole.begin(), whole.end(), v));
      }
    } else {
      RC_ASSERT(drawn.size() == std::min(whole.size(), static_cast<std::size_t>(fanout)));
      // As multisets: an entry is drawn at most as often as it is stored.
      RC_ASSERT(std::includes(whole.begin(), whole.end(), drawn.begin(), drawn.end()));
    }
  }
}

RC_GTEST_PROP(NeighbourSamplerProperties, NumbersFollowTheOrderOfDiscovery, ()) {
  const Case c = any_case();
  const SampledBatch& batch = c.batch;
  RC_ASSERT(batch.known.size() == c.options.fanouts.size() + 1);
  RC_ASSERT(batch.known.front() == static_cast<std::int64_t>(c.seeds.size()));
  RC_ASSERT(batch.known.back() == batch.nodes.size());
  RC_ASSERT(std::is_sorted(batch.known.begin(), batch.known.end()));
  RC_ASSERT(std::equal(c.seeds.begin(), c.seeds.end(), batch.nodes.begin()));
  RC_ASSERT(std::set<std::int32_t>(batch.nodes.begin(), batch.nodes.end()).size() ==
            static_cast<std::size_t>(batch.nodes.size()));
  // Read from the first row to the last, a number is at most the next one that is free.
  std::int64_t next = batch.known.front();
  for (std::int64_t r = 0; r + 1 < batch.offsets.size(); ++r) {
    for (std::int64_t k = batch.offsets[r]; k < batch.offsets[r + 1]; ++k) {
      RC_ASSERT(batch.columns[k] >= 0);
      RC_ASSERT(batch.columns[k] <= next);
      next = std::max<std::int64_t>(next, batch.columns[k] + 1);
    }
    const std::size_t hop = hop_of(batch, r);
    if (r + 1 == batch.known[hop]) RC_ASSERT(next == batch.known[hop + 1]);
  }
  RC_ASSERT(next == batch.nodes.size());
}

RC_GTEST_PROP(NeighbourSamplerProperties, BlocksNest, ()) {
  const Case c = any_case();
  for (int hop = 0; hop < c.batch.hops(); ++hop) {
    const CsrMatrix block = c.batch.block(hop);
    RC_ASSERT(block.offsets.size() == block.rows + 1);
    RC_ASSERT(block.nonzeros() == block.offsets[block.rows]);
    for (const std::int32_t column : block.columns) RC_ASSERT(column < block.cols);
    if (hop > 0) RC_ASSERT(c.batch.block(hop - 1).cols == block.rows);
  }
}

}  // namespace
}  // namespace creg::neighbour_sampler_properties_test
