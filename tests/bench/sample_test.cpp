// The baseline of sampling draws what ours draws, as far as it claims to.
#include "bench/sample.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <set>

#include "bench/plain/plain_sample.h"
#include "creg/io/dataset.h"
#include "ops/tensors.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::sample_test {
namespace {

Graph small_graph(const Context& context) {
  return prepare_graph(context, open_dataset(context, "synthetic:cora@0.05", ""));
}

std::vector<std::int64_t> list(const at::Tensor& values) {
  const at::Tensor plain = values.contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

/// Checks edges, sizes of rows and the numbering of one batch.
void expect_sample(const CsrMatrix& graph, const SamplerOptions& options, const PlainSample& sample,
                   std::size_t seeds) {
  const std::vector<std::int64_t> nodes = list(sample.nodes);
  const std::vector<std::int64_t> rows = list(sample.rows);
  const std::vector<std::int64_t> columns = list(sample.columns);
  EXPECT_EQ(std::set<std::int64_t>(nodes.begin(), nodes.end()).size(), nodes.size());
  ASSERT_EQ(rows.size(), columns.size());
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  std::vector<std::int64_t> drawn(nodes.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto row = static_cast<std::size_t>(rows[k]);
    const std::span<const std::int32_t> neighbours = graph.row(nodes[row]);
    const auto node = static_cast<std::int32_t>(nodes[static_cast<std::size_t>(columns[k])]);
    EXPECT_NE(std::find(neighbours.begin(), neighbours.end(), node), neighbours.end());
    ++drawn[row];
  }
  for (std::size_t i = 0; i < seeds; ++i) {
    const auto degree = static_cast<std::int64_t>(graph.row(nodes[i]).size());
    const std::int64_t fanout = options.fanouts[0];
    const std::int64_t filled = degree > 0 ? fanout : 0;
    EXPECT_EQ(drawn[i], options.replace ? filled : std::min(degree, fanout));
  }
}

TEST(PlainSampler, DrawsEdgesOfTheGraph) {
  const Context context({.threads = 1});
  const Graph graph = small_graph(context);
  for (const bool replace : {false, true}) {
    const SamplerOptions options{.fanouts = {3, 2, 4}, .replace = replace};
    PlainSampler sampler(graph.adjacency, options, 1);
    for (int batch = 0; batch < 3; ++batch) {
      const at::Tensor seeds = at::arange(batch * 20, batch * 20 + 20, at::kLong);
      const PlainSample sample = sampler.sample(seeds);
      EXPECT_TRUE(at::equal(sample.nodes.narrow(0, 0, 20), seeds));
      expect_sample(graph.adjacency, options, sample, 20);
    }
  }
}

TEST(PlainSampler, TakesTheSameAsOursWhereNothingIsDrawn) {
  const Context context({.threads = 1});
  const Graph graph = small_graph(context);
  const SamplerOptions options{.fanouts = {every_neighbour, every_neighbour}};
  const std::vector<std::int32_t> seeds = {5, 3, 40};
  const SampledBatch ours = NeighbourSampler(graph.adjacency, options).sample(seeds, 0, 0);
  const PlainSample plain =
      PlainSampler(graph.adjacency, options, 0).sample(index_tensor(seeds).to(at::kLong));
  // Both by the graph's numbers: the order in which a hop's nodes are numbered is their own.
  std::multiset<std::pair<std::int64_t, std::int64_t>> our_edges;
  for (std::int64_t r = 0; r + 1 < ours.offsets.size(); ++r) {
    for (std::int64_t k = ours.offsets[r]; k < ours.offsets[r + 1]; ++k) {
      our_edges.emplace(ours.nodes[r], ours.nodes[ours.columns[k]]);
    }
  }
  std::multiset<std::pair<std::int64_t, std::int64_t>> plain_edges;
  const std::vector<std::int64_t> from = list(plain.nodes.index_select(0, plain.rows));
  const std::vector<std::int64_t> to = list(plain.nodes.index_select(0, plain.columns));
  for (std::size_t k = 0; k < from.size(); ++k) plain_edges.emplace(from[k], to[k]);
  EXPECT_EQ(our_edges, plain_edges);
}

TEST(SampleBench, CountsWhatWasDrawn) {
  const Context context({.threads = 2});
  const Graph graph = small_graph(context);
  const SampleBench result =
      bench_sample(context, graph, {.fanouts = {4, 3}}, 16, {.warm_up = 1, .repetitions = 2}, true);
  ASSERT_TRUE(result.plain && result.plain_sizes);
  EXPECT_EQ(result.ours.ms.size(), 2U);
  EXPECT_EQ(result.batches, 8);
  EXPECT_GT(result.sizes.nodes, 16);
  EXPECT_GT(result.sizes.edges, result.sizes.nodes - 16);
  EXPECT_NEAR(result.plain_sizes->edges / result.sizes.edges, 1, 0.2);
  EXPECT_GT(result.ours.peak_bytes, 4 * graph.adjacency.nonzeros());
  EXPECT_GT(result.plain->peak_bytes, 8 * graph.adjacency.nonzeros());
  EXPECT_FALSE(
      bench_sample(context, graph, {.fanouts = {4}}, 16, {.warm_up = 0, .repetitions = 1}, false)
          .plain);
  test::expect_error([&] { bench_sample(context, graph, {.fanouts = {4}}, 1024, {}, false); },
                     {"1,024"});
}

TEST(SampleBench, RefusesToPassTheCpusSamplerOffAsAGpus) {
  const Context context({.device = {.type = DeviceType::cuda, .index = 1}, .threads = 1});
  test::expect_error([&] { bench_sample(context, small_graph(Context()), {}, 16, {}, false); },
                     {"--device", "found cuda:1", "cpu", "bench epoch"});
}

}  // namespace
}  // namespace creg::sample_test
