#include <gtest/gtest.h>

#include <cmath>

#include "contrast/feature_mask.h"
#include "graph/edge_drop.h"
#include "methods/tiny_model.h"

namespace creg::cca_ssg_test {
namespace {

using test::TinyModel;

constexpr std::uint64_t seed = 5;  // of TinyModel
constexpr std::uint32_t epoch = 3;

MethodOptions options(const ViewOptions& views = {}) {
  return {.views = views, .encoder = {.dim = 6}, .epochs = 10};
}

/// Mean 0, deviation 1 over the nodes, divided by the root of their number.
at::Tensor standard(const at::Tensor& h) {
  const auto nodes = static_cast<double>(h.size(0));
  const at::Tensor centred = h - h.sum(0) / nodes;
  return centred / ((centred * centred).sum(0) / nodes).sqrt() / std::sqrt(nodes);
}

struct View {
  at::Tensor matrix;
  at::Tensor features;
};

/// As the method draws it.
View view_of(const TinyModel& model, double edges, double features, int number) {
  const ViewDraw draw{.seed = seed, .step = epoch, .view = number};
  const CsrMatrix kept = drop_edges(model.context, model.graph.adjacency, edges, draw);
  const at::Tensor a = test::dense_adjacency(kept) + at::eye(40, at::kDouble);
  const at::Tensor scale = a.sum(0).rsqrt();
  return {a.t() * scale.unsqueeze(1) * scale.unsqueeze(0),
          test::dense_features(model.graph) *
              draw_column_mask(Context(), 12, features, draw).to(at::kDouble)};
}

TEST(CcaSsg, IsAgreementOfViewsAndIndependenceOfChannels) {
  const ViewOptions rates{
      .drop_edges1 = 0.3, .drop_edges2 = 0.2, .drop_features1 = 0.2, .drop_features2 = 0.3};
  TinyModel model("cca-ssg", options(rates), test::two_groups(), {{"cca_lambda", "0.05"}});
  const View one = view_of(model, 0.3, 0.2, 0);
  const View other = view_of(model, 0.2, 0.3, 1);
  EXPECT_EQ(model.loss(epoch).anchors, 40);
  test::expect_formula(model, epoch, [&](test::Values& p) {
    const at::Tensor u = standard(test::gcn_layer(one.matrix, one.features, p));
    const at::Tensor v = standard(test::gcn_layer(other.matrix, other.features, p));
    const at::Tensor identity = at::eye(6, at::kDouble);
    const auto square = [](const at::Tensor& x) { return (x * x).sum(); };
    return square(u - v) / 2 +
           0.05 * (square(u.t().mm(u) - identity) + square(v.t().mm(v) - identity));
  });
}

/// Columns are standardised: what a last layer adds to a channel or multiplies it by is not seen.
TEST(CcaSsg, DoesNotSeeScaleAndShiftOfChannels) {
  MethodOptions linear = options();
  linear.encoder.last_activation = false;
  TinyModel model("cca-ssg", linear);
  const double before = model.loss(epoch).loss.item<double>();
  model.parameter("encoder.0.weight").detach().mul_(test::on(at::tensor({1, 2, 3, 4, 5, 6})));
  model.parameter("encoder.0.bias").detach().add_(3);
  EXPECT_NEAR(model.loss(epoch).loss.item<double>(), before, 1e-4 * before);
}

TEST(CcaSsg, AChannelThatIsTheSameForAllNodesDoesNoHarm) {
  TinyModel model("cca-ssg", options());
  model.parameter("encoder.0.weight").detach().select(1, 2).zero_();
  for (const double shift : {0.0, 0.7}) {
    model.parameter("encoder.0.bias").detach().select(0, 2).fill_(shift);
    EpochLoss step = model.loss(epoch);
    EXPECT_TRUE(std::isfinite(step.loss.item<double>()));
    step.loss.backward();
    for (const NamedTensor& item : model.parameters.all()) {
      at::Tensor value = item.value;
      EXPECT_LT(value.grad().abs().max().item<double>(), 1e3) << item.name << ' ' << shift;
      value.mutable_grad().reset();
    }
  }
}

/// The largest correlation of two channels of the graph itself.
double largest_correlation(TinyModel& model) {
  EpochPass pass = model.pass(0, false);
  const at::Tensor z = standard(test::on_host(pass.embedding()).to(at::kDouble));
  return (z.t().mm(z) - at::eye(z.size(1), at::kDouble)).abs().max().item<double>();
}

/// Agreement alone is reached by channels that are all the same; the second part forbids that.
TEST(CcaSsg, LambdaKeepsChannelsApart) {
  for (const std::string lambda : {"0", "1"}) {
    TinyModel model("cca-ssg", options(), test::two_groups(), {{"cca_lambda", lambda}});
    const std::vector<double> losses = model.train(0, 200);
    EXPECT_LT(losses.back(), losses.front());
    if (lambda == "0") {
      EXPECT_GT(largest_correlation(model), 0.9);
    } else {
      EXPECT_LT(largest_correlation(model), 0.5);
    }
  }
}

}  // namespace
}  // namespace creg::cca_ssg_test
