#include "creg/contrast/view_contrast.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "contrast/teleport_schedule.h"
#include "creg/contrast/dropped_view.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::view_contrast_test {
namespace {

struct TinyPass {
  explicit TinyPass(const EncoderOptions& options)
      : graph(test::two_groups()),
        encoder(make_encoder(options, feature_cols(graph.features), parameters)),
        inputs(context, graph, options),
        pass(context, inputs, *encoder, {.seed = 5, .epoch = 3, .step = 3}) {}

  Context context = test::context();
  Graph graph;
  ParameterList parameters{3, test::tensor_device()};
  std::unique_ptr<Encoder> encoder;
  GraphInputs inputs;
  EpochPass pass;
};

EncoderOptions tiny(EncoderKind kind) {
  return {.kind = kind, .dim = 8, .hidden = 12, .layers = 2, .heads = 2};
}

TEST(EncodeDropped, ZeroRatesGiveTheCleanEmbedding) {
  for (const EncoderKind kind :
       {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    TinyPass tiny_pass(tiny(kind));
    const at::Tensor view = encode_dropped(tiny_pass.pass, tiny(kind), {}, 0);
    EXPECT_TRUE(test::equal(view, tiny_pass.pass.embedding())) << name_of(kind);
    // Chances that are all 0 as well, by the longer way.
    DropRates never{.edges = 1e-9, .features = 1e-9};
    never.edge_chances =
        at::zeros({tiny_pass.graph.adjacency.nonzeros()}, test::options(at::kFloat));
    never.column_chances = at::zeros({12}, test::options(at::kFloat));
    const at::Tensor same = encode_dropped(tiny_pass.pass, tiny(kind), never, 1);
    EXPECT_LT(test::distance(same.detach(), tiny_pass.pass.embedding().detach()), 1e-6)
        << name_of(kind);
  }
}

TEST(EncodeDropped, ViewsOfAStepDiffer) {
  for (const EncoderKind kind :
       {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    TinyPass tiny_pass(tiny(kind));
    const auto view = [&](const DropRates& rates, int number) {
      return encode_dropped(tiny_pass.pass, tiny(kind), rates, number).detach();
    };
    const at::Tensor clean = tiny_pass.pass.embedding().detach();
    for (const DropRates& rates : {DropRates{.edges = 0.4}, DropRates{.features = 0.4}}) {
      EXPECT_FALSE(test::equal(view(rates, 0), clean)) << name_of(kind);
      EXPECT_FALSE(test::equal(view(rates, 0), view(rates, 1))) << name_of(kind);
      EXPECT_TRUE(test::equal(view(rates, 0), view(rates, 0))) << name_of(kind);
    }
  }
}

TEST(EncodeDropped, WithoutAnyEdgeNodesAreAlone) {
  TinyPass whole(tiny(EncoderKind::gcn));
  const at::Tensor view = encode_dropped(whole.pass, tiny(EncoderKind::gcn), {.edges = 1}, 0);
  Graph lonely = whole.graph;
  lonely.adjacency = test::csr(40, {});
  const GraphInputs inputs(whole.context, lonely, tiny(EncoderKind::gcn));
  EpochPass pass(whole.context, inputs, *whole.encoder, {});
  EXPECT_LT(test::distance(view.detach(), pass.embedding().detach()), 1e-6);
}

TEST(EncodeDropped, WithoutAnyFeatureAllNodesAreAlike) {
  TinyPass whole(tiny(EncoderKind::sage));
  const at::Tensor view = encode_dropped(whole.pass, tiny(EncoderKind::sage), {.features = 1}, 0);
  EXPECT_LT(test::distance(view.detach(), view.detach().narrow(0, 0, 1).expand_as(view)), 1e-6);
}

TEST(ProjectionHead, IsTwoLinearLayersWithAnElu) {
  ParameterList parameters(4, test::tensor_device());
  const ProjectionHead head(5, 3, parameters);
  ASSERT_EQ(parameters.all().size(), 4);
  const test::Tensors inputs = {test::irregular({6, 5})};
  for (const NamedTensor& item : parameters.all()) {
    EXPECT_LE(item.value.abs().max().item<double>(),
              1 / std::sqrt(item.name.find(".0.") != std::string::npos ? 5.0 : 3.0));
  }
  const auto exact = [&](std::size_t i) {
    return test::on_host(parameters.all()[i].value).to(at::kDouble);
  };
  const auto formula = [&](const test::Tensors& x) {
    const at::Tensor inner = x[0].mm(exact(0)) + exact(1);
    const at::Tensor bent = at::where(inner > 0, inner, at::exp(inner) - 1);
    return bent.mm(exact(2)) + exact(3);
  };
  test::expect_matches([&](const test::Tensors& x) { return head.project(x[0]); }, formula, inputs);
}

TEST(ProjectionHead, ABasisKeepsInnerProducts) {
  ParameterList parameters(4, test::tensor_device());
  const ProjectionHead head(9, 4, parameters);
  const at::Tensor basis = head.basis();
  ASSERT_TRUE(basis.defined());
  const at::Tensor rows = test::on(test::irregular({6, 9}));
  const at::Tensor whole = head.project(rows);
  const at::Tensor few = head.project(rows, basis);
  EXPECT_EQ(few.size(1), 5);
  EXPECT_LT(test::distance(few.mm(few.t()).detach(), whole.mm(whole.t()).detach()), 1e-5);
  ParameterList wide(4, test::tensor_device());
  EXPECT_FALSE(ProjectionHead(5, 4, wide).basis().defined()) << "5 columns are no fewer";
}

TEST(ViewContrast, IsInfoNceOfTheWholeProjectionsWithTheirGradients) {
  TinyPass tiny_pass(tiny(EncoderKind::gcn));
  for (const ViewNegatives negatives : {ViewNegatives::both_views, ViewNegatives::own_view}) {
    ParameterList parameters(4, test::tensor_device());
    const ViewContrast contrast(8, 3, 0.5, negatives, parameters);
    test::Tensors ours = {test::on(test::irregular({40, 8})),
                          test::on(test::irregular({40, 8}, 1))};
    for (at::Tensor& rows : ours) rows.requires_grad_();
    for (const NamedTensor& item : parameters.all()) ours.push_back(item.value);
    const at::Tensor loss = contrast.loss(tiny_pass.pass, ours[0], ours[1]).loss;
    loss.backward();

    test::Tensors x;
    for (const at::Tensor& one : ours) {
      x.push_back(test::on_host(one).to(at::kDouble).requires_grad_());
    }
    const auto unit = [&](const at::Tensor& rows) {
      const at::Tensor inner = rows.mm(x[2]) + x[3];
      const at::Tensor bent = at::where(inner > 0, inner, at::exp(inner) - 1);
      const at::Tensor out = bent.mm(x[4]) + x[5];
      return out / out.norm(2, 1, true);
    };
    const at::Tensor u = unit(x[0]);
    const at::Tensor v = unit(x[1]);
    const at::Tensor across = u.mm(v.t()).div(0.5).exp();
    const auto one_way = [&](const at::Tensor& from, const at::Tensor& to) {
      const at::Tensor others = 1 - at::eye(40, at::kDouble);
      const at::Tensor own = (from.mm(from.t()).div(0.5).exp() * others).sum(1);
      const bool both = negatives == ViewNegatives::both_views;
      return ((own + (both ? to.sum(1) : to.diagonal())).log() - to.diagonal().log()).mean();
    };
    const at::Tensor wanted = (one_way(u, across) + one_way(v, across.t())) / 2;
    wanted.backward();
    EXPECT_LT(test::distance(loss.detach(), wanted.detach()), 1e-5);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double largest = x[i].grad().abs().max().item<double>();
      ASSERT_GT(largest, 0);
      EXPECT_LT(test::distance(test::on_host(ours[i].grad()) / largest, x[i].grad() / largest),
                1e-4)
          << i;
    }
  }
}

TEST(ViewContrast, SaysHowAlikePairsAre) {
  TinyPass tiny_pass(tiny(EncoderKind::gcn));
  for (const ViewNegatives negatives : {ViewNegatives::both_views, ViewNegatives::own_view}) {
    ParameterList parameters(4, test::tensor_device());
    const ViewContrast contrast(8, 4, 0.5, negatives, parameters);
    const at::Tensor rows = test::on(test::irregular({40, 8}));
    // A node's two views are the same, and no two nodes are.
    const ViewLoss same = contrast.loss(tiny_pass.pass, rows, rows);
    EXPECT_NEAR(same.positive_sigma.item<double>(), 1 / (1 + std::exp(-2.0)), 1e-5);
    EXPECT_LT(same.negative_sigma.item<double>(), same.positive_sigma.item<double>());
    EXPECT_GT(same.negative_sigma.item<double>(), 1 / (1 + std::exp(2.0)));
    EXPECT_LT(same.loss.item<double>(),
              contrast.loss(tiny_pass.pass, rows, rows.flip(0)).loss.item<double>());
  }
}

/// Of two nodes each is the other's negative; a single one has none.
TEST(ViewContrast, TwoNodesAreEnoughForANegative) {
  TinyPass tiny_pass(tiny(EncoderKind::gcn));
  ParameterList parameters(4);
  const ViewContrast contrast(8, 4, 0.5, ViewNegatives::both_views, parameters);
  const at::Tensor rows = test::irregular({2, 8});
  const at::Tensor negative = contrast.loss(tiny_pass.pass, rows, rows).negative_sigma;
  ASSERT_TRUE(negative.defined());
  const at::Tensor swapped = contrast.loss(tiny_pass.pass, rows, rows.flip(0)).positive_sigma;
  EXPECT_NEAR(negative.item<double>(), swapped.item<double>(), 1e-6);
  const at::Tensor one = rows.narrow(0, 0, 1);
  EXPECT_FALSE(contrast.loss(tiny_pass.pass, one, one).negative_sigma.defined());
}

TEST(TeleportOf, FollowsTheSchedules) {
  constexpr int epochs = 9;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const double t = (epoch + 1) / 10.0;
    EXPECT_NEAR(teleport_of(TeleportSchedule::linear, epoch, epochs), 0.9 - 0.8 * t, 1e-12);
    EXPECT_NEAR(teleport_of(TeleportSchedule::exponential, epoch, epochs),
                0.9 - 0.8 * (std::exp(3 * t) - 1) / (std::exp(3.0) - 1), 1e-12);
    EXPECT_NEAR(teleport_of(TeleportSchedule::log, epoch, epochs),
                0.9 - 0.8 * std::log(t + std::exp(-3.0)) / 3, 1e-12);
    EXPECT_EQ(teleport_of(TeleportSchedule::fixed, epoch, epochs), 0.9);
  }
  // The published formula as it runs.
  EXPECT_NEAR(teleport_of(TeleportSchedule::log, 0, 600), 1.69, 0.01);
  EXPECT_NEAR(teleport_of(TeleportSchedule::log, 599, 600), 0.89, 0.01);
}

}  // namespace
}  // namespace creg::view_contrast_test
