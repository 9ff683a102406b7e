// Inputs that a GPU makes of its own batches against those made of the host's.
#include "contrast/device_batches.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "contrast/batch_inputs.h"
#include "graph/epoch_batches.h"
#include "ops/csr.h"
#include "support/attributed_graph.h"
#include "support/devices.h"

namespace creg::device_batches_test {
namespace {

void expect_same(const CsrTensors& found, const CsrTensors& wanted) {
  ASSERT_EQ(found.offsets.defined(), wanted.offsets.defined());
  if (!wanted.offsets.defined()) return;
  EXPECT_TRUE(test::same(host_csr(found), host_csr(wanted)));
}

void expect_same(const SparseMatrix& found, const SparseMatrix& wanted) {
  expect_same(found.forward(), wanted.forward());
  ASSERT_EQ(found.reversible(), wanted.reversible());
  if (wanted.reversible()) expect_same(found.transposed(), wanted.transposed());
}

void expect_same(const Hops& found, const Hops& wanted) {
  ASSERT_EQ(found.all().size(), wanted.all().size());
  for (std::size_t l = 0; l < wanted.all().size(); ++l)
    expect_same(found.all()[l], wanted.all()[l]);
}

void expect_same(const GraphInputs& found, const GraphInputs& wanted) {
  EXPECT_EQ(found.batch, wanted.batch);
  EXPECT_EQ(found.nodes, wanted.nodes);
  EXPECT_EQ(found.rows, wanted.rows);
  ASSERT_EQ(found.features.sparse(), wanted.features.sparse());
  const std::vector<at::Tensor> rows = found.features.tensors();
  const std::vector<at::Tensor> wanted_rows = wanted.features.tensors();
  ASSERT_EQ(rows.size(), wanted_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(test::same_bytes(rows[i], wanted_rows[i])) << i;
  }
  expect_same(found.hops, wanted.hops);
  expect_same(found.node_hops, wanted.node_hops);
  expect_same(found.adjacency, wanted.adjacency);
  EXPECT_TRUE(test::equal(found.members, wanted.members));
  ASSERT_EQ(found.joined.defined(), wanted.joined.defined());
  if (wanted.joined.defined()) {
    EXPECT_TRUE(test::equal(found.joined, wanted.joined));
  }
  ASSERT_EQ(found.propagation.defined(), wanted.propagation.defined());
  if (wanted.propagation.defined()) expect_same(found.propagation, wanted.propagation);
}

enum class Kept { sparse, full, dense };

/// Sparse features that stay so, such that are full enough to be made dense, and dense ones.
Graph graph_with(Kept kept, bool directed) {
  Graph graph = test::two_groups(60, 12);
  if (kept == Kept::dense) graph.features = to_dense(graph.features);
  if (kept == Kept::full) {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    for (std::int32_t u = 0; u < 60; ++u) {
      for (std::int32_t f = u % 3; f < 12; f += 2) {
        rows.push_back(u);
        columns.push_back(f);
      }
    }
    graph.features = csr_from_entries(Context(), 60, 12, rows, columns, {});
  }
  if (!directed) return graph;
  graph.directed = true;
  test::Edges half;
  for (const auto& edge : test::entries(graph.adjacency)) {
    if (edge.first % 3 != 0) half.push_back(edge);
  }
  graph.adjacency = test::csr(60, half);
  return graph;
}

TEST(DeviceBatches, InputsAreThoseOfTheHostsBatches) {
  if (test::tensor_device().is_cpu()) GTEST_SKIP() << "this is the CPU";
  const Context context = test::context({.threads = 1});
  for (const Kept kept : {Kept::sparse, Kept::full, Kept::dense}) {
    for (const bool directed : {false, true}) {
      const Graph graph = graph_with(kept, directed);
      const CsrMatrix gathered = directed ? transpose(context, graph.adjacency) : graph.adjacency;
      for (const std::vector<int>& fanouts :
           {std::vector<int>{3}, {4, 2}, {3, 2, 5}, {every_neighbour, 2}}) {
        for (const BatchNeighbours neighbours :
             {BatchNeighbours::subgraph, BatchNeighbours::extra_hop}) {
          for (const bool seen : {false, true}) {
            if (!seen && neighbours == BatchNeighbours::extra_hop) continue;
            for (const Residence residence : {Residence::device, Residence::host}) {
              const auto layers = static_cast<int>(fanouts.size());
              const SamplerOptions options{.fanouts = sampled_fanouts(fanouts, neighbours),
                                           .replace = directed};
              const NeighbourSampler sampler(gathered, options);
              DeviceBatches there(context, graph, {options, layers, seen, residence});
              const EpochBatches batches(60, 16, 4, 0);
              for (std::int64_t step = 0; step < batches.size(); ++step) {
                const auto draw = static_cast<std::uint32_t>(step);
                expect_same(there.make(batches[step], 4, draw),
                            batch_inputs(context, graph, sampler.sample(batches[step], 4, draw),
                                         layers, seen));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace creg::device_batches_test
