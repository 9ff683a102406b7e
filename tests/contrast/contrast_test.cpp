#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "contrast/contrast_reg.h"
#include "contrast/curriculum.h"
#include "core/permutation.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/pairs.h"
#include "creg/core/random.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::contrast_test {
namespace {

std::vector<std::int32_t> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = test::on_host(tensor).contiguous();
  const auto* const first = flat.data_ptr<std::int32_t>();
  return {first, first + flat.numel()};
}

TEST(DrawNegatives, ColumnsArePermutations) {
  const at::Tensor negatives = draw_negatives(test::context(), 50, 3, 1, 4);
  ASSERT_EQ(negatives.size(0), 50);
  ASSERT_EQ(negatives.size(1), 3);
  std::set<std::vector<std::int32_t>> different;
  for (int k = 0; k < 3; ++k) {
    std::vector<std::int32_t> column = values_of(negatives.select(1, k));
    different.insert(column);
    std::sort(column.begin(), column.end());
    for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(column[i], i);
  }
  EXPECT_EQ(different.size(), 3);
  EXPECT_EQ(values_of(negatives.select(1, 2)),
            keyed_permutation({1, Purpose::negatives, 4, 2}, 50));
  EXPECT_TRUE(test::equal(negatives, draw_negatives(test::context(), 50, 3, 1, 4)));
  EXPECT_FALSE(test::equal(negatives, draw_negatives(test::context(), 50, 3, 1, 5)));
  EXPECT_FALSE(test::equal(negatives, draw_negatives(test::context(), 50, 3, 2, 4)));
}

TEST(AnchoredPairs, AreThoseOfTheAnchorsAlone) {
  const at::Tensor positives = at::arange(8, at::kInt).reshape({4, 2}).remainder(4).to(at::kInt);
  const at::Tensor negatives = test::on(at::tensor({3, 2, 1, 0}, at::kInt).reshape({4, 1}));
  const Pairs pairs =
      anchored_pairs(test::on(positives), negatives, test::on(at::tensor({1, 3}, at::kInt)));
  EXPECT_EQ(values_of(pairs.anchors), (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(values_of(pairs.positives), (std::vector<std::int32_t>{2, 3, 2, 3}));
  EXPECT_EQ(values_of(pairs.negatives), (std::vector<std::int32_t>{2, 0}));
}

TEST(AnchoredPairs, AllNodesNeedNoList) {
  const at::Tensor positives = test::on(at::tensor({1, 0}, at::kInt));
  const at::Tensor negatives = test::on(at::tensor({0, 1}, at::kInt).reshape({2, 1}));
  EXPECT_FALSE(anchored_pairs(positives, negatives, {}).anchors.defined());
}

TEST(AlignedPairs, EveryNodeWithItself) {
  const Pairs pairs = aligned_pairs(test::on(at::tensor({1, 2, 0}, at::kInt).reshape({3, 1})));
  EXPECT_EQ(values_of(pairs.positives), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_FALSE(pairs.anchors.defined());
}

TEST(Curriculum, RoundsTakeInMoreAndMore) {
  // 10 epochs in 3 rounds of 4, 4 and 2.
  const std::vector<int> numbers = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  for (int epoch = 0; epoch < 10; ++epoch) {
    const Round round = round_of(epoch, 10, 3, 100);
    EXPECT_EQ(round.number, numbers[epoch]);
    EXPECT_EQ(round.starts, epoch % 4 == 0);
    EXPECT_EQ(round.seeds, std::vector<int>({33, 66, 100})[round.number]);
  }
}

TEST(Curriculum, NoRoundsMeanAllNodes) {
  EXPECT_EQ(round_of(0, 10, 0, 100).seeds, 100);
  EXPECT_EQ(round_of(7, 10, 1, 100).seeds, 100);
}

TEST(Curriculum, ARoundHasAtLeastOneNode) {
  EXPECT_EQ(round_of(0, 10, 5, 3).seeds, 1);
}

TEST(ClearestNodes, SmallestEntropyFirstAndEqualsByNumber) {
  const at::Tensor entropies = test::on(at::tensor({2.0F, 1.0F, 3.0F, 1.0F, 1.0F, 0.5F}));
  EXPECT_EQ(values_of(clearest_nodes(entropies, 3)), (std::vector<std::int32_t>{1, 3, 5}));
  EXPECT_EQ(values_of(clearest_nodes(entropies, 6)).size(), 6);
}

TEST(ClearestNodes, OfEqualsTakesTheSmallerNumber) {
  std::vector<std::pair<float, std::int32_t>> ranked;
  RandomStream stream(3, Purpose::test);
  for (std::int32_t i = 0; i < 1000; ++i) {
    ranked.emplace_back(static_cast<float>(stream.below(7)) / 4, i);
  }
  std::vector<float> entropies;
  for (const auto& [entropy, node] : ranked) entropies.push_back(entropy);
  std::sort(ranked.begin(), ranked.end());
  for (const std::int64_t count : {1, 2, 500, 999, 1000}) {
    std::vector<std::int32_t> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      expected.push_back(ranked[static_cast<std::size_t>(i)].second);
    }
    std::sort(expected.begin(), expected.end());
    const at::Tensor found = clearest_nodes(test::on(as_tensor(Array<float>(entropies))), count);
    EXPECT_EQ(found.dtype(), at::kInt);
    EXPECT_EQ(values_of(found), expected);
  }
}

TEST(PairScore, ABilinearScoreIsUTimesCTimesV) {
  ParameterList parameters(4, test::tensor_device());
  const PairScore score(Score::bilinear, 5, parameters);
  ASSERT_EQ(parameters.all().size(), 1);
  const at::Tensor c = test::on_host(parameters.all().front().value);
  const at::Tensor u = test::irregular({1, 5});
  const at::Tensor v = test::irregular({1, 5}, 1);
  const float wanted = u.mm(c).mm(v.t()).item<float>();
  EXPECT_NEAR((u * test::on_host(score.anchors(test::on(v)))).sum().item<float>(), wanted, 1e-6);
}

TEST(PairScore, ADotScoreHasNoParameters) {
  ParameterList parameters(4, test::tensor_device());
  const PairScore score(Score::dot, 5, parameters);
  EXPECT_TRUE(parameters.all().empty());
  const at::Tensor v = test::on(test::irregular({2, 5}));
  EXPECT_TRUE(score.anchors(v).is_same(v));
}

class ContrastRegTest : public ::testing::Test {
 protected:
  ContrastRegTest()
      : graph_(test::two_groups()),
        encoder_(make_encoder({.dim = 6}, 12, parameters_)),
        inputs_(test::context(), graph_, EncoderOptions{}) {}

  double formula(const at::Tensor& direction, std::uint32_t epoch, bool unit_rows) {
    const at::Tensor order =
        index_tensor(keyed_permutation({9, Purpose::corruption, epoch}, 40)).to(at::kLong);
    const auto encode = [&](const at::Tensor& x) {
      const FeatureMatrix features(test::context(), Features(as_dense(x)));
      const at::Tensor h =
          encoder_->propagate(inputs_.hops, encoder_->project(features, inputs_.hops, {}), {});
      const at::Tensor rows = test::on_host(h).to(at::kDouble);
      return unit_rows ? rows / rows.norm(2, 1, true).clamp_min(1e-12) : rows;
    };
    const at::Tensor x = as_tensor(to_dense(graph_.features));
    const at::Tensor h = encode(x);
    const at::Tensor shuffled = encode(x.index_select(0, order));
    const at::Tensor r = direction.defined() ? direction : at::sigmoid(h.mean(0));
    const at::Tensor u = test::on_host(parameters_.all().back().value).to(at::kDouble).mv(r);
    return (-at::sigmoid(h.mv(u)).log().mean() - (1 - at::sigmoid(shuffled.mv(u))).log().mean())
        .item<double>();
  }

  /// The gradient of the encoder's weights by libtorch's own operations, with the summary followed
  /// or taken for a constant.
  at::Tensor weight_gradient(std::uint32_t epoch, bool through_summary) {
    const at::Tensor order = test::on(
        index_tensor(keyed_permutation({9, Purpose::corruption, epoch}, 40)).to(at::kLong));
    const FeatureMatrix features(test::context(), graph_.features);
    const Projected product = encoder_->project(features, inputs_.hops, {});
    const at::Tensor h = encoder_->propagate(inputs_.hops, product, {});
    const at::Tensor shuffled =
        encoder_->propagate(inputs_.hops, {product.rows.index_select(0, order)}, {});
    const at::Tensor summary = at::sigmoid(h.mean(0));
    const at::Tensor u =
        parameters_.all().back().value.mv(through_summary ? summary : summary.detach());
    const at::Tensor loss = at::softplus(-h.mv(u)).mean() + at::softplus(shuffled.mv(u)).mean();
    const at::Tensor weight = parameters_.all().front().value;
    weight.mutable_grad().reset();
    loss.backward();
    at::Tensor gradient = weight.grad().clone();
    weight.mutable_grad().reset();
    return gradient;
  }

  Graph graph_;
  ParameterList parameters_{3, test::tensor_device()};
  std::unique_ptr<Encoder> encoder_;
  GraphInputs inputs_;
  Context context_ = test::context();
};

TEST_F(ContrastRegTest, RandomDirection) {
  const ContrastReg regulariser({.contrast = true, .r_scale = 2}, LogForm::stable, 6, parameters_);
  RandomStream stream(9, Purpose::direction, 4);
  at::Tensor r = at::empty({6}, at::kDouble);
  for (int i = 0; i < 6; ++i) r[i] = 2.0 * stream.uniform();
  EpochPass pass(context_, inputs_, *encoder_, {.seed = 9, .epoch = 4, .step = 4});
  EXPECT_NEAR(regulariser.loss(pass).item<double>(), formula(r, 4, false), 1e-5);
}

TEST_F(ContrastRegTest, SummaryDirectionOfUnitRows) {
  const ContrastReg regulariser({.contrast = true, .r = Direction::summary}, LogForm::stable, 6,
                                parameters_);
  EpochPass pass(context_, inputs_, *encoder_,
                 {.seed = 9, .epoch = 4, .step = 4, .unit_rows = true});
  EXPECT_NEAR(regulariser.loss(pass).item<double>(), formula({}, 4, true), 1e-5);
}

TEST_F(ContrastRegTest, GradientsGoThroughTheSummary) {
  const ContrastReg regulariser({.contrast = true, .r = Direction::summary}, LogForm::stable, 6,
                                parameters_);
  const at::Tensor followed = weight_gradient(4, true);
  const at::Tensor constant = weight_gradient(4, false);
  EpochPass pass(context_, inputs_, *encoder_, {.seed = 9, .epoch = 4, .step = 4});
  regulariser.loss(pass).backward();
  const at::Tensor gradient = parameters_.all().front().value.grad();
  const float largest = followed.abs().max().item<float>();
  EXPECT_LT((gradient - followed).abs().max().item<float>(), 1e-5F * largest);
  EXPECT_GT((followed - constant).abs().max().item<float>(), 1e-3F * largest);
}

TEST_F(ContrastRegTest, UnitRowsHaveLengthOne) {
  EpochPass pass(context_, inputs_, *encoder_, {.unit_rows = true});
  const at::Tensor lengths = pass.embedding().detach().norm(2, 1);
  EXPECT_LT((lengths - 1).abs().max().item<float>(), 1e-5);
  EXPECT_FALSE(pass.hidden().is_same(pass.embedding()));
}

}  // namespace
}  // namespace creg::contrast_test
