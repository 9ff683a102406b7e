// Rows of other ranks and the way back of their gradients, by ranks that are threads.
#include "nn/part_exchange.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstring>
#include <vector>

#include "nn/part_hops.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"
#include "support/graph_parts.h"
#include "support/graphs.h"
#include "support/thread_ranks.h"

namespace creg::part_exchange_test {
namespace {

/// Node i to part owners[i].
Partition partition_of(std::vector<std::int32_t> owners, int parts) {
  return {.parts = parts, .method = PartitionMethod::streaming, .owners = std::move(owners)};
}

/// In turn, so that nearly every edge is cut.
Partition in_turn(std::int64_t nodes, int parts) {
  std::vector<std::int32_t> owners;
  for (std::int64_t i = 0; i < nodes; ++i) owners.push_back(static_cast<std::int32_t>(i % parts));
  return partition_of(std::move(owners), parts);
}

/// One after the other.
Partition in_blocks(std::int64_t nodes, int parts) {
  std::vector<std::int32_t> owners;
  for (std::int64_t i = 0; i < nodes; ++i) {
    owners.push_back(static_cast<std::int32_t>(i * parts / nodes));
  }
  return partition_of(std::move(owners), parts);
}

Graph directed_graph() {
  Graph graph = test::two_groups(30);
  graph.directed = true;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  std::vector<float> weights;
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    if ((u * 7 + v) % 3 == 0) continue;
    rows.push_back(u);
    columns.push_back(v);
    weights.push_back(0.5F + static_cast<float>((u + v) % 5));
  }
  graph.adjacency =
      csr_from_entries(Context(), graph.nodes(), graph.nodes(), rows, columns, weights);
  return graph;
}

at::Tensor rows_at(const at::Tensor& all, const at::Tensor& nodes) {
  return all.index_select(0, nodes.to(at::kLong));
}

using Body = std::function<void(PartExchange&, const GraphPart&)>;

void with_parts(const Graph& graph, const Partition& partition, const Body& body) {
  const std::vector<GraphPart> parts = test::all_parts(graph, partition);
  test::on_ranks(partition.parts, [&](test::ThreadRanks& ranks) {
    const GraphPart& part = parts[static_cast<std::size_t>(ranks.rank())];
    PartExchange exchange(ranks, part, partition.owners);
    body(exchange, part);
  });
}

TEST(PartExchange, TheHaloIsTheRowsOfItsNodes) {
  const Graph graph = test::two_groups(40);
  const at::Tensor all = test::irregular({40, 3});
  for (const int parts : {1, 2, 3, 4}) {
    with_parts(graph, in_turn(40, parts), [&](PartExchange& exchange, const GraphPart& part) {
      const at::Tensor wanted = rows_at(all, exchange.numbers());
      EXPECT_EQ(exchange.nodes(), 40);
      EXPECT_EQ(exchange.rows(), part.graph.nodes());
      EXPECT_TRUE(at::equal(exchange.with_halo(wanted.narrow(0, 0, part.own)), wanted));
      const at::Tensor counts = exchange.numbers().to(at::kDouble);
      EXPECT_TRUE(at::equal(exchange.plain_with_halo(counts.narrow(0, 0, part.own)), counts));
    });
  }
}

TEST(PartExchange, AnyRowsOfAnyRank) {
  const Graph graph = test::two_groups(40);
  const at::Tensor all = test::irregular({40, 3});
  with_parts(graph, in_blocks(40, 3), [&](PartExchange& exchange, const GraphPart& part) {
    const at::Tensor own = rows_at(all, exchange.numbers()).narrow(0, 0, part.own);
    const int rank = exchange.ranks().rank();
    // Rank 2 wants nothing, rank 0 some of its own and some twice.
    const at::Tensor nodes = rank == 2   ? at::empty({0}, at::kInt)
                             : rank == 1 ? at::arange(39, -1, -1, at::kInt)
                                         : at::tensor({3, 39, 3, 17, 39, 0}, at::kInt);
    EXPECT_TRUE(at::equal(exchange.rows_of(own, nodes), rows_at(all, nodes)));
    EXPECT_DOUBLE_EQ(exchange.share(rank + 1), (rank + 1) / 6.0);
    EXPECT_EQ(exchange.share(0), 0);
    EXPECT_LT(test::distance(exchange.mean_of_rows(own), all.mean(0)), 1e-6);
  });
}

/// Every rank's loss depends on rows of all; the gradients are those of the sum of the losses, by
/// central differences of the same in double.
void expect_gradients(const Graph& graph, const Partition& partition) {
  const std::int64_t nodes = graph.nodes();
  const at::Tensor all = test::irregular({nodes, 2});
  const std::vector<GraphPart> parts = test::all_parts(graph, partition);
  const auto asked_by = [&](std::int64_t rank) {
    std::vector<std::int32_t> asked;
    for (std::int64_t i = 0; i < nodes + rank; ++i) {
      asked.push_back(static_cast<std::int32_t>((i * 5 + rank) % nodes));
    }
    return index_tensor(asked);
  };
  const auto weigh = [](const at::Tensor& rows, double phase) {
    return (rows.tanh() * test::irregular(rows.sizes(), phase).to(rows.scalar_type())).sum();
  };
  // What the ranks' losses come to, from the rows of all nodes.
  const test::Formula whole = [&](const test::Tensors& inputs) {
    const at::Tensor& rows = inputs.front();
    at::Tensor sum = at::zeros({}, rows.options());
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const at::Tensor here = rows_at(rows, as_tensor(parts[r].nodes));
      sum = sum + weigh(here, 1.0 + static_cast<double>(r)) +
            weigh(rows_at(rows, asked_by(static_cast<std::int64_t>(r))), 9) * 0.5 +
            weigh(rows.tanh().mean(0), 4);
    }
    return sum;
  };
  const test::Formula by_ranks = [&](const test::Tensors& inputs) {
    // Gradients cross the threads here: each rank works on a leaf of its own.
    at::Tensor gradient = at::zeros_like(inputs.front());
    at::Tensor value = at::zeros({});
    std::mutex mutex;
    test::on_ranks(partition.parts, [&](test::ThreadRanks& ranks) {
      const GraphPart& part = parts[static_cast<std::size_t>(ranks.rank())];
      PartExchange exchange(ranks, part, partition.owners);
      const at::Tensor numbers = exchange.numbers().narrow(0, 0, part.own).to(at::kLong);
      at::Tensor own = inputs.front().detach().index_select(0, numbers).set_requires_grad(true);
      exchange.begin_step();
      at::Tensor loss = weigh(exchange.with_halo(own), 1.0 + ranks.rank()) +
                        weigh(exchange.rows_of(own, asked_by(ranks.rank())), 9) * 0.5 +
                        weigh(exchange.mean_of_rows(own.tanh()), 4);
      loss = exchange.end_step(loss);
      loss.backward();
      const std::lock_guard lock(mutex);
      value += loss.detach();
      gradient.index_copy_(0, numbers, own.grad());
    });
    // A value with this gradient.
    return (inputs.front() * gradient).sum() + (value - (inputs.front().detach() * gradient).sum());
  };
  test::expect_matches(by_ranks, whole, {all});
}

TEST(PartExchange, GradientsComeBack) {
  for (const int parts : {1, 2, 3}) expect_gradients(test::two_groups(20), in_turn(20, parts));
  expect_gradients(directed_graph(), in_blocks(30, 4));
}

TEST(PartExchange, AHaloMayBeEmpty) {
  // Two triangles and a lonely node: no part needs another.
  Graph graph = test::two_triangles();
  graph.directed = true;
  expect_gradients(graph, partition_of({0, 0, 0, 1, 1, 1, 2}, 3));
  expect_gradients(graph, partition_of({0, 0, 0, 1, 1, 0, 2}, 3));
}

TEST(PartExchange, ARankThatUsesNothingOfOthersServesThem) {
  const Graph graph = test::two_groups(20);
  with_parts(graph, in_turn(20, 2), [&](PartExchange& exchange, const GraphPart& part) {
    at::Tensor own = at::ones({part.own, 2}).set_requires_grad(true);
    exchange.begin_step();
    const at::Tensor rows = exchange.with_halo(own);
    const bool first = exchange.ranks().rank() == 0;
    exchange.end_step(first ? rows.sum() : at::zeros({})).backward();
    // What rank 1 has in rank 0's halo counts there.
    const double sent = static_cast<double>(part.send_nodes.size());
    EXPECT_EQ(own.grad().sum().item<double>(), 2 * (first ? static_cast<double>(part.own) : sent));
  });
}

/// Â and its like on parts: the own rows of the whole graph's, entry by entry.
void expect_own_rows(const Graph& graph, const Partition& partition) {
  const Context context;
  for (const Aggregation kind :
       {Aggregation::gcn, Aggregation::sum, Aggregation::mean, Aggregation::attention}) {
    const SparseMatrix whole = aggregation_matrix(context, graph, kind);
    const auto offsets = host_array<std::int64_t>(whole.forward().offsets);
    const auto columns = host_array<std::int32_t>(whole.forward().columns);
    with_parts(graph, partition, [&](PartExchange& exchange, const GraphPart& part) {
      const SparseMatrix matrix = part_matrix(Context(), part, exchange, kind);
      ASSERT_EQ(matrix.rows(), part.own);
      ASSERT_EQ(matrix.cols(), part.graph.nodes());
      const CsrTensors& here = matrix.forward();
      const auto own_offsets = host_array<std::int64_t>(here.offsets);
      const auto own_columns = host_array<std::int32_t>(here.columns);
      for (std::int64_t r = 0; r < part.own; ++r) {
        const std::int64_t node = part.nodes[r];
        const std::int64_t count = offsets[node + 1] - offsets[node];
        ASSERT_EQ(own_offsets[r + 1] - own_offsets[r], count);
        for (std::int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(part.nodes[own_columns[own_offsets[r] + i]], columns[offsets[node] + i]);
          if (kind == Aggregation::attention) continue;
          ASSERT_EQ(here.values[own_offsets[r] + i].item<float>(),
                    whole.forward().values[offsets[node] + i].item<float>());
        }
      }
    });
  }
}

TEST(PartHops, AreTheRowsOfTheWholeGraph) {
  expect_own_rows(test::two_groups(40), in_turn(40, 3));
  expect_own_rows(test::two_groups(40), in_blocks(40, 2));
  expect_own_rows(directed_graph(), in_turn(30, 3));
  Graph triangles = test::two_triangles();
  triangles.directed = true;
  expect_own_rows(triangles, in_turn(7, 2));
}

TEST(PartHops, LongRowsAscendAsTheirProductsWant) {
  // A complete graph: more entries than products take in any order.
  test::Edges edges;
  for (std::int32_t u = 0; u < 60; ++u) {
    for (std::int32_t v = 0; v < 60; ++v) {
      if (u != v) edges.emplace_back(u, v);
    }
  }
  Graph graph;
  graph.adjacency = test::csr(60, edges);
  with_parts(graph, in_turn(60, 2), [&](PartExchange& exchange, const GraphPart& part) {
    const SparseMatrix matrix = part_matrix(Context(), part, exchange, Aggregation::gcn);
    const auto columns = host_array<std::int32_t>(matrix.forward().columns);
    for (std::int64_t e = 1; e < 60; ++e) EXPECT_LT(columns[e - 1], columns[e]);
  });
}

}  // namespace
}  // namespace creg::part_exchange_test
