#include "contrast/batch_inputs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/permutation.h"
#include "creg/ops/aggregate.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/devices.h"

namespace creg::batch_inputs_test {
namespace {

struct Case {
  int layers;
  bool dense;
  BatchNeighbours neighbours;
};

/// A sage encoder over all neighbours, so that a batch must agree with the whole graph.
class WholeNeighbourhoods : public ::testing::TestWithParam<Case> {
 protected:
  WholeNeighbourhoods()
      : encoder_(make_encoder({.kind = EncoderKind::sage, .dim = 6, .layers = GetParam().layers},
                              12, parameters_)) {
    if (GetParam().dense) graph_.features = to_dense(graph_.features);
  }

  SampledBatch sample() const {
    const std::vector<int> fanouts(static_cast<std::size_t>(GetParam().layers), every_neighbour);
    const NeighbourSampler sampler(graph_.adjacency,
                                   {.fanouts = sampled_fanouts(fanouts, GetParam().neighbours)});
    return sampler.sample(seeds_, 5, 0);
  }

  at::Tensor whole_embedding() const {
    const GraphInputs inputs(context_, graph_, {.kind = EncoderKind::sage});
    EpochPass pass(context_, inputs, *encoder_, {});
    return pass.embedding();
  }

  at::Tensor numbers(std::span<const std::int32_t> nodes) const {
    return test::on(index_tensor({nodes.begin(), nodes.end()}).to(at::kLong));
  }

  Context context_ = test::context();
  Graph graph_ = test::two_groups();
  std::vector<std::int32_t> seeds_ = {0, 7, 11, 20, 33};  // node 0 has no neighbours
  ParameterList parameters_{3, test::tensor_device()};
  std::unique_ptr<Encoder> encoder_;
};

void expect_close(const at::Tensor& found, const at::Tensor& wanted) {
  ASSERT_EQ(found.sizes(), wanted.sizes());
  EXPECT_LT((found - wanted).abs().max().item<float>(), 1e-5);
}

TEST_P(WholeNeighbourhoods, ABatchEncodesItsNodesAsTheWholeGraphDoes) {
  const SampledBatch batch = sample();
  const at::Tensor wanted = whole_embedding().index_select(0, numbers(seeds_));
  for (const bool seen : {false, true}) {
    if (GetParam().neighbours == BatchNeighbours::extra_hop && !seen) continue;
    const GraphInputs inputs = batch_inputs(context_, graph_, batch, GetParam().layers, seen);
    EXPECT_EQ(inputs.nodes, 5);
    EXPECT_EQ(inputs.rows, seen ? batch.known[1] : 5);
    EXPECT_TRUE(at::equal(inputs.members.cpu(), index_tensor(seeds_)));
    EpochPass pass(context_, inputs, *encoder_, {});
    expect_close(pass.nodes(), wanted);
  }
}

TEST_P(WholeNeighbourhoods, GradientsAreThoseOfTheWholeGraph) {
  const auto gradients = [&](const at::Tensor& rows) {
    (rows * rows).sum().backward();
    std::vector<at::Tensor> out;
    for (const NamedTensor& parameter : parameters_.all()) {
      out.push_back(parameter.value.grad().clone());
      parameter.value.grad().zero_();
    }
    return out;
  };
  const std::vector<at::Tensor> wanted =
      gradients(whole_embedding().index_select(0, numbers(seeds_)));
  const GraphInputs inputs = batch_inputs(context_, graph_, sample(), GetParam().layers, true);
  EpochPass pass(context_, inputs, *encoder_, {});
  const std::vector<at::Tensor> found = gradients(pass.nodes());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const float scale = std::max(1.0F, wanted[i].abs().max().item<float>());
    EXPECT_LT((found[i] - wanted[i]).abs().max().item<float>(), 1e-4 * scale)
        << parameters_.all()[i].name;
  }
}

class WithAnExtraHop : public WholeNeighbourhoods {};

TEST_P(WithAnExtraHop, NeighboursAreEncodedToo) {
  const SampledBatch batch = sample();
  const GraphInputs inputs = batch_inputs(context_, graph_, batch, GetParam().layers, true);
  EpochPass pass(context_, inputs, *encoder_, {});
  const at::Tensor whole = whole_embedding();
  const at::Tensor met =
      numbers(batch.nodes.span().first(static_cast<std::size_t>(batch.known[1])));
  expect_close(pass.embedding(), whole.index_select(0, met));
  // One level deeper: the mean over a node and all its neighbours.
  const SparseMatrix mean = aggregation_matrix(context_, graph_, Aggregation::mean);
  expect_close(aggregate(inputs.propagation, pass.embedding()),
               aggregate(mean, whole).index_select(0, numbers(seeds_)));
}

/// Without the extra hop a neighbour's last layer takes the mean over those of its neighbours that
/// are among the batch's nodes and their neighbours.
class WithinTheSubgraph : public WholeNeighbourhoods {};

TEST_P(WithinTheSubgraph, NeighboursAreEncodedByWhatItHas) {
  const SampledBatch batch = sample();
  const GraphInputs inputs = batch_inputs(context_, graph_, batch, 2, true);
  EpochPass pass(context_, inputs, *encoder_, {});
  const SparseMatrix mean = aggregation_matrix(context_, graph_, Aggregation::mean);
  const FeatureMatrix features(context_, graph_.features);
  const at::Tensor first =
      test::on_host(encoder_->evaluate_layer(0, mean, {encoder_->multiply(features), true}));
  std::vector<std::int32_t> place(40, -1);
  for (std::int64_t i = 0; i < batch.known[1]; ++i) place[batch.nodes[i]] = static_cast<int>(i);
  at::Tensor gathered = at::zeros({batch.known[1], 6});
  for (std::int64_t i = 0; i < batch.known[1]; ++i) {
    const std::int32_t node = batch.nodes[i];
    at::Tensor sum = first[node].clone();
    int count = 1;
    for (const std::int32_t other : graph_.adjacency.row(node)) {
      if (place[other] < 0) continue;
      sum += first[other];
      ++count;
    }
    gathered[i] = sum / count;
  }
  // A mean taken already passes through the identity.
  CsrMatrix identity{.rows = batch.known[1], .cols = batch.known[1]};
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  for (std::int32_t i = 0; i <= batch.known[1]; ++i) offsets.push_back(i);
  for (std::int32_t i = 0; i < batch.known[1]; ++i) columns.push_back(i);
  identity.offsets = offsets;
  identity.columns = columns;
  expect_close(pass.embedding(), encoder_->evaluate_layer(1, SparseMatrix(context_, identity),
                                                          {test::on(gathered), false}));
}

TEST_P(WholeNeighbourhoods, TheCorruptedPassShufflesTheSampledNodesFeatures) {
  const SampledBatch batch = sample();
  const GraphInputs inputs = batch_inputs(context_, graph_, batch, GetParam().layers, true);
  EpochPass pass(context_, inputs, *encoder_, {.seed = 9, .epoch = 4, .step = 4});
  const auto count = static_cast<std::int32_t>(batch.nodes.size());
  const std::vector<std::int32_t> order = keyed_permutation({9, Purpose::corruption, 4}, count);
  at::Tensor x = as_tensor(to_dense(graph_.features)).clone();
  at::Tensor shuffled = x.clone();
  for (std::int32_t i = 0; i < count; ++i) shuffled[batch.nodes[i]] = x[batch.nodes[order[i]]];
  Graph other = graph_;
  other.features = as_dense(shuffled);
  const GraphInputs whole(context_, other, {.kind = EncoderKind::sage});
  EpochPass corrupted(context_, whole, *encoder_, {});
  expect_close(pass.corrupted(), corrupted.embedding().index_select(0, numbers(seeds_)));
}

INSTANTIATE_TEST_SUITE_P(Cases, WholeNeighbourhoods,
                         ::testing::Values(Case{1, false, BatchNeighbours::subgraph},
                                           Case{1, true, BatchNeighbours::subgraph},
                                           Case{2, false, BatchNeighbours::subgraph},
                                           Case{2, true, BatchNeighbours::subgraph},
                                           Case{3, true, BatchNeighbours::subgraph},
                                           Case{1, true, BatchNeighbours::extra_hop},
                                           Case{2, true, BatchNeighbours::extra_hop},
                                           Case{2, false, BatchNeighbours::extra_hop}));

INSTANTIATE_TEST_SUITE_P(Cases, WithAnExtraHop,
                         ::testing::Values(Case{1, true, BatchNeighbours::extra_hop},
                                           Case{2, true, BatchNeighbours::extra_hop},
                                           Case{2, false, BatchNeighbours::extra_hop}));
INSTANTIATE_TEST_SUITE_P(Cases, WithinTheSubgraph,
                         ::testing::Values(Case{2, true, BatchNeighbours::subgraph},
                                           Case{2, false, BatchNeighbours::subgraph}));

TEST(SampledFanouts, AnExtraHopComesFirst) {
  EXPECT_EQ(sampled_fanouts({10, 5, 25}, BatchNeighbours::subgraph), (std::vector<int>{10, 5, 25}));
  EXPECT_EQ(sampled_fanouts({10, 5, 25}, BatchNeighbours::extra_hop),
            (std::vector<int>{10, 10, 5, 25}));
}

}  // namespace
}  // namespace creg::batch_inputs_test
