#include "graph/neighbour_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/epoch_batches.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::neighbour_sampler_test {
namespace {

using Nodes = std::vector<std::int32_t>;

/// Node 0 joined to each of 1..leaves, both ways.
CsrMatrix star(std::int32_t leaves) {
  test::Edges edges;
  for (std::int32_t leaf = 1; leaf <= leaves; ++leaf) {
    edges.emplace_back(0, leaf);
    edges.emplace_back(leaf, 0);
  }
  return test::csr(leaves + 1, edges);
}

/// Node i gathers from the `degree` nodes after it, round a ring.
CsrMatrix ring(std::int32_t nodes, std::int32_t degree) {
  test::Edges edges;
  for (std::int32_t i = 0; i < nodes; ++i) {
    for (std::int32_t d = 1; d <= degree; ++d) edges.emplace_back(i, (i + d) % nodes);
  }
  return test::csr(nodes, edges);
}

Nodes list(const Array<std::int32_t>& values) {
  return {values.begin(), values.end()};
}

bool same_batch(const SampledBatch& a, const SampledBatch& b) {
  return test::same(a.nodes, b.nodes) && test::same(a.offsets, b.offsets) &&
         test::same(a.columns, b.columns) && a.known == b.known;
}

/// The neighbours drawn for a local row, by the graph's numbers.
Nodes drawn(const SampledBatch& batch, std::int64_t row) {
  Nodes out;
  for (std::int64_t k = batch.offsets[row]; k < batch.offsets[row + 1]; ++k) {
    out.push_back(batch.nodes[batch.columns[k]]);
  }
  return out;
}

TEST(NeighbourSampler, AllNeighboursAreAWalkByBreadth) {
  const NeighbourSampler sampler(test::path_graph(6).adjacency,
                                 {.fanouts = {every_neighbour, every_neighbour}});
  const SampledBatch batch = sampler.sample(Nodes{2}, 0, 0);
  EXPECT_EQ(list(batch.nodes), (Nodes{2, 1, 3, 0, 4}));
  EXPECT_EQ(batch.known, (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_EQ(batch.hops(), 2);
  EXPECT_EQ(batch.seeds(), 1);
  EXPECT_EQ(batch.edges(), 6);
  // Node 2 gathers from 1 and 3; they gather from 0, 2 and 2, 4.
  EXPECT_EQ(list(batch.columns), (Nodes{1, 2, 3, 0, 0, 4}));
  EXPECT_EQ((std::vector<std::int64_t>(batch.offsets.begin(), batch.offsets.end())),
            (std::vector<std::int64_t>{0, 2, 4, 6}));
}

TEST(NeighbourSampler, BlocksAreTheFirstRowsOfOneMatrix) {
  const NeighbourSampler sampler(ring(100, 8), {.fanouts = {3, 2}});
  const SampledBatch batch = sampler.sample(Nodes{10, 50}, 4, 2);
  const CsrMatrix inner = batch.block(0);
  const CsrMatrix outer = batch.block(1);
  EXPECT_EQ(inner.rows, 2);
  EXPECT_EQ(inner.cols, batch.known[1]);
  EXPECT_EQ(inner.nonzeros(), 6);
  EXPECT_EQ(outer.rows, batch.known[1]);
  EXPECT_EQ(outer.cols, batch.nodes.size());
  EXPECT_EQ(outer.nonzeros(), batch.edges());
  EXPECT_TRUE(outer.values.empty());
  EXPECT_EQ(inner.columns.data(), batch.columns.data()) << "shared, not copied";
  for (std::int64_t row = 0; row < inner.rows; ++row) {
    EXPECT_TRUE(std::equal(inner.row(row).begin(), inner.row(row).end(), outer.row(row).begin(),
                           outer.row(row).end()))
        << "a seed gathers from the same nodes in every hop";
  }
  EXPECT_THROW(batch.block(2), Bug);
  EXPECT_THROW(batch.block(-1), Bug);
}

TEST(NeighbourSampler, EachHopHasItsFanout) {
  const NeighbourSampler sampler(ring(5000, 40), {.fanouts = {4, 2, 7}});
  const SampledBatch batch = sampler.sample(Nodes{1000, 3000}, 1, 0);
  const std::vector<std::int64_t> wanted = {4, 2, 7};
  for (std::size_t hop = 0; hop < 3; ++hop) {
    for (std::int64_t r = hop == 0 ? 0 : batch.known[hop - 1]; r < batch.known[hop]; ++r) {
      EXPECT_EQ(batch.offsets[r + 1] - batch.offsets[r], wanted[hop]);
    }
  }
  EXPECT_EQ(batch.offsets.size(), batch.known[2] + 1) << "what the last hop finds is not expanded";
}

TEST(NeighbourSampler, IsolatedNodesAndNoSeeds) {
  const CsrMatrix graph = test::csr(5, {{0, 1}, {1, 0}});
  for (const bool replace : {false, true}) {
    const NeighbourSampler sampler(graph, {.fanouts = {3, 3}, .replace = replace});
    const SampledBatch lonely = sampler.sample(Nodes{4, 2}, 0, 0);
    EXPECT_EQ(list(lonely.nodes), (Nodes{4, 2}));
    EXPECT_EQ(lonely.known, (std::vector<std::int64_t>{2, 2, 2}));
    EXPECT_EQ(lonely.edges(), 0);
    EXPECT_EQ(lonely.block(1).offsets.size(), 3);
    const SampledBatch none = sampler.sample({}, 0, 0);
    EXPECT_EQ(none.nodes.size(), 0);
    EXPECT_EQ(none.block(0).rows, 0);
  }
}

TEST(NeighbourSampler, AWholeGraphMayBeFound) {
  Nodes all(9);
  std::iota(all.begin(), all.end(), 0);
  const NeighbourSampler sampler(ring(9, 8), {.fanouts = {every_neighbour, 5}});
  const SampledBatch batch = sampler.sample(all, 0, 0);
  EXPECT_EQ(list(batch.nodes), all);
  EXPECT_EQ(batch.edges(), 9 * 8);
  EXPECT_EQ(sampler.sample(Nodes{3}, 0, 0).nodes.size(), 9);
}

TEST(NeighbourSampler, WithRepeatsTheFanoutIsAlwaysFilled) {
  const NeighbourSampler sampler(star(3), {.fanouts = {20, every_neighbour}, .replace = true});
  const SampledBatch batch = sampler.sample(Nodes{0}, 0, 0);
  const Nodes neighbours = drawn(batch, 0);
  EXPECT_EQ(neighbours.size(), 20U);
  EXPECT_EQ(std::set<std::int32_t>(neighbours.begin(), neighbours.end()),
            (std::set<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(drawn(batch, 1), (Nodes{0})) << "all neighbours are all of them, each once";
}

/// How often each leaf was drawn over many steps, checked against an equal share of each.
void expect_uniform(std::int32_t leaves, int fanout, bool replace) {
  constexpr std::uint32_t steps = 4000;
  const NeighbourSampler sampler(star(leaves), {.fanouts = {fanout}, .replace = replace});
  std::vector<double> counts(static_cast<std::size_t>(leaves));
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (const std::int32_t leaf : drawn(sampler.sample(Nodes{0}, 5, step), 0)) {
      ++counts[static_cast<std::size_t>(leaf) - 1];
    }
  }
  const double expected = steps * static_cast<double>(fanout) / leaves;
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - expected) * (count - expected);
  chi_square /= expected;
  // Mean leaves - 1 at most, deviation about its root times 1.4: five deviations.
  EXPECT_LT(chi_square, leaves + 7.1 * std::sqrt(leaves))
      << fanout << " of " << leaves << (replace ? " with" : " without") << " repeats";
}

TEST(NeighbourSampler, EveryNeighbourIsEquallyLikely) {
  expect_uniform(12, 5, false);
  expect_uniform(33, 32, false);  // the last that are looked for one by one
  expect_uniform(40, 33, false);  // the first that are marked
  expect_uniform(200, 64, false);
  expect_uniform(12, 5, true);
  expect_uniform(7, 40, true);
}

TEST(NeighbourSampler, EverySubsetIsEquallyLikely) {
  constexpr std::uint32_t steps = 6000;
  const NeighbourSampler sampler(star(5), {.fanouts = {2}});
  std::map<std::set<std::int32_t>, int> counts;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const Nodes pair = drawn(sampler.sample(Nodes{0}, 9, step), 0);
    ++counts[{pair.begin(), pair.end()}];
  }
  EXPECT_EQ(counts.size(), 10U);
  for (const auto& [subset, count] : counts) EXPECT_NEAR(count, steps / 10, 120);
}

TEST(NeighbourSampler, DependsOnSeedStepAndSeedsAlone) {
  const CsrMatrix graph = ring(400, 30);
  const NeighbourSampler sampler(graph, {.fanouts = {5, 5}});
  const SampledBatch batch = sampler.sample(Nodes{7, 9}, 1, 3);
  sampler.sample(Nodes{300, 9, 100}, 2, 8);
  EXPECT_TRUE(same_batch(batch, sampler.sample(Nodes{7, 9}, 1, 3)));
  EXPECT_TRUE(
      same_batch(batch, NeighbourSampler(graph, {.fanouts = {5, 5}}).sample(Nodes{7, 9}, 1, 3)));
  EXPECT_FALSE(same_batch(batch, sampler.sample(Nodes{7, 9}, 2, 3)));
  EXPECT_FALSE(same_batch(batch, sampler.sample(Nodes{7, 9}, 1, 4)));
  EXPECT_FALSE(same_batch(batch, sampler.sample(Nodes{9, 7}, 1, 3)));
}

TEST(NeighbourSampler, ThreadsAndTheOrderOfBatchesChangeNothing) {
  const CsrMatrix graph = ring(2000, 50);
  const EpochBatches batches(2000, 64, 1, 0);
  const auto sample_all = [&](int threads, bool backwards) {
    const NeighbourSampler sampler(graph, {.fanouts = {4, 40}});
    std::vector<SampledBatch> out(static_cast<std::size_t>(batches.size()));
    parallel_tasks(Context({.threads = threads}), batches.size(), [&](std::int64_t task) {
      const std::int64_t i = backwards ? batches.size() - 1 - task : task;
      out[static_cast<std::size_t>(i)] =
          sampler.sample(batches[i], 1, static_cast<std::uint32_t>(i));
    });
    return out;
  };
  const std::vector<SampledBatch> one = sample_all(1, false);
  const std::vector<SampledBatch> four = sample_all(4, true);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same_batch(one[i], four[i])) << i;
}

TEST(NeighbourSampler, ADirectedGraphIsSampledAgainstItsEdgesByItsTranspose) {
  // 0 -> 2, 1 -> 2: node 2 gathers from 0 and 1, which gather from nobody.
  const CsrMatrix out_edges = test::csr(3, {{0, 2}, {1, 2}});
  const NeighbourSampler sampler(transpose(Context({.threads = 1}), out_edges), {.fanouts = {5}});
  EXPECT_EQ(drawn(sampler.sample(Nodes{2}, 0, 0), 0), (Nodes{0, 1}));
  EXPECT_EQ(sampler.sample(Nodes{0}, 0, 0).edges(), 0);
}

TEST(NeighbourSampler, ArraysOfAMappedFileAreSampledInPlaceAndKeptAlive) {
  const CsrMatrix owned = ring(64, 9);
  auto file = std::make_shared<CsrMatrix>(owned);
  const std::weak_ptr<CsrMatrix> alive = file;
  CsrMatrix mapped{.rows = 64, .cols = 64};
  mapped.offsets = Array<std::int64_t>::view(file->offsets.span(), file);
  mapped.columns = Array<std::int32_t>::view(file->columns.span(), file);
  file.reset();
  const NeighbourSampler sampler(std::move(mapped), {.fanouts = {4, 4}});
  EXPECT_FALSE(alive.expired());
  EXPECT_TRUE(same_batch(sampler.sample(Nodes{5, 6}, 1, 2),
                         NeighbourSampler(owned, {.fanouts = {4, 4}}).sample(Nodes{5, 6}, 1, 2)));
}

TEST(NeighbourSampler, WhatACallWorkedOnIsKeptForTheNext) {
  const NeighbourSampler sampler(ring(1000, 4), {.fanouts = {2}});
  EXPECT_EQ(sampler.kept_bytes(), 0);
  EXPECT_EQ(sampler.sample(Nodes{1}, 0, 0).bytes(), 3 * 4 + 2 * 8 + 2 * 4);
  const std::int64_t kept = sampler.kept_bytes();
  EXPECT_GE(kept, 4 * 1000);
  sampler.sample(Nodes{2}, 0, 1);
  EXPECT_EQ(sampler.kept_bytes(), kept);
}

TEST(NeighbourSampler, WrongFanoutsAreNamed) {
  test::expect_error([] { NeighbourSampler(star(2), {}); }, {"fanout", "10,10,25"});
  test::expect_error([] { NeighbourSampler(star(2), {.fanouts = {3, 0}}); }, {"fanout", "0", "-1"});
  test::expect_error([] { NeighbourSampler(star(2), {.fanouts = {-2}}); }, {"-2"});
}

TEST(NeighbourSampler, WrongSeedsAreABugAndDoNoHarm) {
  const NeighbourSampler sampler(star(4), {.fanouts = {2}});
  EXPECT_THROW(sampler.sample(Nodes{1, 2, 1}, 0, 0), Bug);
  EXPECT_THROW(sampler.sample(Nodes{1, 5}, 0, 0), Bug);
  EXPECT_THROW(sampler.sample(Nodes{-1}, 0, 0), Bug);
  EXPECT_EQ(sampler.sample(Nodes{1, 2}, 0, 0).seeds(), 2);
}

}  // namespace
}  // namespace creg::neighbour_sampler_test
