#include <gtest/gtest.h>

#include "creg/core/random.h"
#include "methods/tiny_model.h"
#include "support/expect_error.h"

namespace creg::gmi_test {
namespace {

using test::TinyModel;

MethodOptions options(int layers = 1) {
  return {.encoder = {.dim = 6, .hidden = 5, .layers = layers}};
}

at::Tensor others(std::int64_t nodes, RandomStream& stream) {
  at::Tensor out = at::empty({nodes}, at::kLong);
  for (std::int64_t i = 0; i < nodes; ++i) {
    const auto drawn = static_cast<std::int64_t>(stream.below(nodes - 1));
    out[i] = drawn < i ? drawn : drawn + 1;
  }
  return out;
}

at::Tensor log1p_exp(const at::Tensor& x) {
  return x.clamp_min(0) + at::log1p(at::exp(-x.abs()));
}

at::Tensor term(const at::Tensor& rows, const at::Tensor& anchors, const at::Tensor& bias,
                RandomStream& stream) {
  const at::Tensor known = ((rows * anchors).sum(1) + bias).sigmoid();
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (int list = 0; list < 5; ++list) {
    const at::Tensor other = rows.index_select(0, others(rows.size(0), stream));
    sum = sum + log1p_exp(((other * anchors).sum(1) + bias).sigmoid()).mean();
  }
  return log1p_exp(-known).mean() + sum / 5;
}

/// The weighted cross entropy of the whole N x N matrix, as it is written.
at::Tensor edge_term(const at::Tensor& h, const at::Tensor& truth) {
  const at::Tensor scores = h.mm(h.t());
  const double pairs = static_cast<double>(truth.numel());
  const double half = truth.sum().item<double>() / 2;
  const double w1 = (pairs - half) / half;
  const double w2 = pairs / (pairs - half);
  return w2 * (w1 * truth * log1p_exp(-scores) + (1 - truth) * log1p_exp(scores)).mean();
}

TEST(Gmi, IsItsThreeTermsOverFeaturesNeighboursAndEdges) {
  for (const int layers : {1, 2}) {
    TinyModel model("gmi", options(layers));
    const at::Tensor x = test::dense_features(model.graph);
    const at::Tensor a = test::dense_adjacency(model.graph.adjacency);
    const at::Tensor matrix = test::gcn_matrix(model.graph);
    test::expect_formula(model, 3, [&](test::Values& p) {
      RandomStream stream(5, Purpose::negatives, 3);
      at::Tensor h = test::gcn_layer(matrix, x, p);
      if (layers == 2) h = test::gcn_layer(matrix, h, p, "encoder.1.");
      // Node 0 has no neighbours: its mean is 0.
      const at::Tensor mean = a / a.sum(1, true).clamp_min(1);
      const at::Tensor around =
          test::with_slope(mean.mm(x.mm(p.at("encoder.0.weight"))), p.at("around.slope"));
      const at::Tensor features =
          term(x.mm(p.at("features.weight")), h, p.at("features.bias"), stream);
      const at::Tensor neighbours =
          term(h, around.mm(p.at("around.weight").t()), p.at("around.bias"), stream);
      return 0.8 * features + neighbours + edge_term(h, a + at::eye(40, at::kDouble));
    });
  }
}

TEST(Gmi, TrainingPutsTheEndsOfEdgesNearerThanOthers) {
  TinyModel model("gmi", options());
  const std::vector<double> losses = model.train(0, 60);
  EXPECT_LT(losses.back(), losses.front());
  EpochPass pass = model.pass(0, false);
  const at::Tensor h = test::on_host(pass.embedding()).to(at::kDouble);
  const at::Tensor scores = h.mm(h.t()).sigmoid();
  const at::Tensor a = test::dense_adjacency(model.graph.adjacency);
  const at::Tensor rest = 1 - a - at::eye(40, at::kDouble);
  EXPECT_GT((scores * a).sum().item<double>() / a.sum().item<double>(),
            (scores * rest).sum().item<double>() / rest.sum().item<double>() + 0.05);
}

TEST(Gmi, OneNodeHasNobodyToBeToldFrom) {
  Graph graph = test::two_groups(1);
  TinyModel model("gmi", options(), graph);
  test::expect_error([&] { model.loss(); }, {"gmi", "one node"});
}

}  // namespace
}  // namespace creg::gmi_test
