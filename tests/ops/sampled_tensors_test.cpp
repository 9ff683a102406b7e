// Against the sampler of the CPU, which is a program of its own.
#include "ops/sampled_tensors.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>
#include <string>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/build.h"
#include "graph/transforms.h"
#include "ops/csr.h"
#include "ops/tensors.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::sampled_tensors_test {
namespace {

using Nodes = std::vector<std::int32_t>;

class OnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::tensor_device().is_cpu()) GTEST_SKIP() << "this is the CPU";
  }
  Context context_ = test::context({.threads = 1});
};

using DeviceSampling = OnAGpu;
using GatheredFeatures = OnAGpu;

void expect_same(const SampledTensors& found, const SampledBatch& wanted,
                 const std::string& where) {
  EXPECT_EQ(found.known, wanted.known) << where;
  EXPECT_TRUE(test::same(host_array<std::int32_t>(found.nodes), wanted.nodes)) << where;
  EXPECT_TRUE(test::same(host_array<std::int64_t>(found.offsets), wanted.offsets)) << where;
  EXPECT_TRUE(test::same(host_array<std::int32_t>(found.columns), wanted.columns)) << where;
  ASSERT_EQ(found.hops(), wanted.hops()) << where;
  for (int hop = 0; hop < wanted.hops(); ++hop) {
    EXPECT_TRUE(test::same(host_csr(found.block(hop)), wanted.block(hop))) << where << hop;
  }
}

/// Some entries anywhere, repeats and loops among them, and one row with many; the last nodes have
/// none.
CsrMatrix random_rows(RandomStream& stream, std::int32_t nodes, std::int32_t entries,
                      bool both_ways) {
  test::Edges edges;
  const auto joined = static_cast<std::uint64_t>(std::max(1, nodes - nodes / 8));
  const auto add = [&](std::int32_t u, std::int32_t v) {
    edges.emplace_back(u, v);
    if (both_ways) edges.emplace_back(v, u);
  };
  const auto any = [&] { return static_cast<std::int32_t>(stream.below(joined)); };
  for (std::int32_t i = 0; i < entries; ++i) add(any(), any());
  for (std::int32_t i = 0; i < entries / 4; ++i) add(0, any());
  return test::csr(nodes, edges);
}

Nodes some_of(RandomStream& stream, std::int32_t nodes) {
  Nodes all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  shuffle(std::span<std::int32_t>(all), stream);
  all.resize(static_cast<std::size_t>(stream.below(static_cast<std::uint64_t>(nodes) + 1)));
  return all;
}

TEST_F(DeviceSampling, BatchesAreThoseOfTheCpu) {
  RandomStream stream(3, Purpose::test);
  const std::vector<std::vector<int>> all_fanouts = {
      {3},          {every_neighbour}, {4, 2},      {2, every_neighbour, 3}, {32}, {33, 70},
      {1, 1, 1, 1}, {5, 40},           {10, 10, 25}};
  for (const std::int32_t nodes : {1, 9, 70, 1200}) {
    for (const bool both_ways : {true, false}) {
      const CsrMatrix graph = random_rows(stream, nodes, 5 * nodes, both_ways);
      for (const std::vector<int>& fanouts : all_fanouts) {
        for (const bool replace : {false, true}) {
          for (const Residence residence : {Residence::device, Residence::host}) {
            const SamplerOptions options{.fanouts = fanouts, .replace = replace};
            const NeighbourSampler cpu(graph, options);
            DeviceSampler gpu(context_, graph, options, residence);
            for (std::uint32_t step = 0; step < 3; ++step) {
              const Nodes seeds = some_of(stream, nodes);
              expect_same(gpu.sample(seeds, 11, step), cpu.sample(seeds, 11, step),
                          std::to_string(nodes) + " nodes, first fanout " +
                              std::to_string(fanouts.front()) + (replace ? ", repeats" : ""));
            }
          }
        }
      }
    }
  }
}

/// Of draws below 250,000 one in 20,000 is rejected and taken again, so that all after it move.
TEST_F(DeviceSampling, DrawsThatAreTakenAgainMoveThoseBehindThem) {
  constexpr std::int32_t nodes = 250000;
  constexpr std::int32_t hubs = 12;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t k = 0; u < hubs && k < nodes; ++k) columns.push_back((k + u) % nodes);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  CsrMatrix graph{.rows = nodes, .cols = nodes};
  graph.offsets = std::move(offsets);
  graph.columns = std::move(columns);
  Nodes seeds(hubs);
  std::iota(seeds.begin(), seeds.end(), 0);
  int more = 0;
  for (const bool replace : {true, false}) {
    const SamplerOptions options{.fanouts = {replace ? 4000 : 600}, .replace = replace};
    const NeighbourSampler cpu(graph, options);
    DeviceSampler gpu(context_, graph, options);
    for (std::uint32_t step = 0; step < 12; ++step) {
      const SampledBatch wanted = cpu.sample(seeds, 7, step);
      expect_same(gpu.sample(seeds, 7, step), wanted, std::to_string(step));
      // Without a rejection the last row's first draw would be this word of the stream.
      if (!replace) continue;
      RandomStream plain({7, Purpose::neighbour_sampling, step, 0}, 4000 * (hubs - 1));
      const std::int64_t first = wanted.offsets[hubs - 1];
      const auto drawn = static_cast<std::int32_t>(plain.below(nodes));
      more += wanted.nodes[wanted.columns[first]] != (drawn + hubs - 1) % nodes ? 1 : 0;
    }
  }
  EXPECT_GT(more, 3) << "there was something to find";
}

TEST_F(DeviceSampling, AFanoutBeyondEveryDegreeTakesNoRoom) {
  RandomStream stream(8, Purpose::test);
  const CsrMatrix graph = random_rows(stream, 40, 90, true);
  const SamplerOptions options{.fanouts = {2000000000, 2000000000}};
  const Nodes seeds = {3, 8, 39};
  expect_same(DeviceSampler(context_, graph, options).sample(seeds, 1, 2),
              NeighbourSampler(graph, options).sample(seeds, 1, 2), "all of them");
}

TEST_F(DeviceSampling, WrongSeedsAreABugAndDoNoHarm) {
  const CsrMatrix graph = test::csr(5, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  DeviceSampler sampler(context_, graph, {.fanouts = {2}});
  EXPECT_THROW(sampler.sample(Nodes{1, 2, 1}, 0, 0), Bug);
  EXPECT_THROW(sampler.sample(Nodes{1, 5}, 0, 0), Bug);
  EXPECT_THROW(sampler.sample(Nodes{-1}, 0, 0), Bug);
  const Nodes seeds = {1, 2};
  expect_same(sampler.sample(seeds, 0, 0),
              NeighbourSampler(graph, {.fanouts = {2}}).sample(seeds, 0, 0), "afterwards");
  test::expect_error([&] { DeviceSampler(context_, graph, {.fanouts = {0}}); }, {"fanout", "0"});
}

TEST_F(GatheredFeatures, RowsAreThoseOfTheHost) {
  RandomStream stream(5, Purpose::test);
  const Nodes nodes = {17, 3, 3, 0, 49, 21};
  const at::Tensor listed = test::on(index_tensor(nodes));
  const Array<std::int32_t> chosen = Nodes(nodes);
  for (const Residence residence : {Residence::device, Residence::host}) {
    for (const std::int64_t width : {1, 6, 8, 300}) {
      std::vector<float> values(static_cast<std::size_t>(50 * width));
      for (float& value : values) value = stream.uniform();
      const Features dense = DenseMatrix{50, width, values};
      const ResidentFeatures there(context_, dense, residence);
      EXPECT_FALSE(there.sparse());
      const Features rows = feature_rows_of(context_, dense, chosen);
      EXPECT_TRUE(test::equal(there.dense_rows(listed), as_tensor(std::get<DenseMatrix>(rows))));
    }
    for (const bool weighted : {false, true}) {
      CsrMatrix matrix = random_rows(stream, 50, 300, false);
      std::vector<float> values(static_cast<std::size_t>(matrix.nonzeros()));
      for (float& value : values) value = stream.uniform();
      if (weighted) matrix.values = values;
      const ResidentFeatures there(context_, matrix, residence);
      EXPECT_TRUE(there.sparse());
      const Features rows = feature_rows_of(context_, matrix, chosen);
      EXPECT_TRUE(test::same(host_csr(there.sparse_rows(listed)),
                             sort_rows(context_, std::get<CsrMatrix>(rows))));
      const at::Tensor none = listed.narrow(0, 0, 0);
      EXPECT_EQ(there.sparse_rows(none).nonzeros(), 0);
    }
  }
}

}  // namespace
}  // namespace creg::sampled_tensors_test
