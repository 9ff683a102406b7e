#include <gtest/gtest.h>

#include <cmath>

#include "contrast/feature_mask.h"
#include "core/permutation.h"
#include "graph/edge_drop.h"
#include "methods/tiny_model.h"
#include "ops/tensors.h"

namespace creg::ggd_test {
namespace {

using test::TinyModel;

constexpr std::uint64_t seed = 5;  // of TinyModel
constexpr std::uint32_t epoch = 3;

MethodOptions options(double edges, double features) {
  return {.views = {.drop_edges1 = edges, .drop_features1 = features}, .encoder = {.dim = 6}};
}

at::Tensor shuffled(const at::Tensor& features) {
  return features.index_select(
      0, index_tensor(keyed_permutation({seed, Purpose::corruption, epoch}, features.size(0))));
}

/// Every row through all layers, and the sum of what comes out.
at::Tensor score(at::Tensor rows, const test::Values& p, int layers) {
  for (int l = 0; l < layers; ++l) {
    const std::string name = "group." + std::to_string(l);
    rows = rows.mm(p.at(name + ".weight")) + p.at(name + ".bias");
  }
  return rows.sum(1);
}

at::Tensor cross_entropy(const at::Tensor& real, const at::Tensor& noise) {
  const at::Tensor all = at::cat({real, noise});
  const at::Tensor truth = at::cat({at::ones_like(real), at::zeros_like(noise)});
  const at::Tensor chance = 1 / (1 + at::exp(-all));
  return -(truth * at::log(chance) + (1 - truth) * at::log(1 - chance)).mean();
}

TEST(Ggd, IsTheCrossEntropyOfSummedProjections) {
  for (const int layers : {1, 3}) {
    TinyModel model("ggd", options(0, 0), test::two_groups(),
                    {{"ggd_layers", std::to_string(layers)}});
    const at::Tensor matrix = test::gcn_matrix(model.graph);
    const at::Tensor x = test::dense_features(model.graph);
    EXPECT_EQ(model.loss(epoch).anchors, 40);
    test::expect_formula(model, epoch, [&](test::Values& p) {
      return cross_entropy(score(test::gcn_layer(matrix, x, p), p, layers),
                           score(test::gcn_layer(matrix, shuffled(x), p), p, layers));
    });
  }
}

TEST(Ggd, BothGroupsLoseTheSameEdgesAndColumns) {
  TinyModel model("ggd", options(0.3, 0.4));
  const CsrMatrix kept =
      drop_edges(model.context, model.graph.adjacency, 0.3, {.seed = seed, .step = epoch});
  ASSERT_LT(kept.nonzeros(), model.graph.adjacency.nonzeros());
  // Row i gathers from j -> i, degrees are those of incoming edges.
  const at::Tensor a = test::dense_adjacency(kept) + at::eye(40, at::kDouble);
  const at::Tensor scale = a.sum(0).rsqrt();
  const at::Tensor matrix = a.t() * scale.unsqueeze(1) * scale.unsqueeze(0);
  const at::Tensor mask = draw_column_mask(Context(), 12, 0.4, {.seed = seed, .step = epoch});
  ASSERT_LT(mask.sum().item<double>(), 12);
  const at::Tensor x = test::dense_features(model.graph) * mask.to(at::kDouble);
  test::expect_formula(model, epoch, [&](test::Values& p) {
    return cross_entropy(score(test::gcn_layer(matrix, x, p), p, 1),
                         score(test::gcn_layer(matrix, shuffled(x), p), p, 1));
  });
}

/// Where all nodes have the same features a shuffle changes nothing, and nothing else may tell the
/// groups apart: no training gets below a coin's ln 2. Groups that lost different columns or edges
/// would.
TEST(Ggd, NothingButTheShuffleTellsGroupsApart) {
  Graph graph = test::two_groups();
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  for (std::int32_t u = 0; u < 40; ++u) {
    for (const std::int32_t c : {0, 3, 4, 7, 9}) {
      rows.push_back(u);
      columns.push_back(c);
    }
  }
  graph.features = csr_from_entries(Context(), 40, 12, rows, columns, {});
  TinyModel model("ggd", options(0.3, 0.4), graph);
  const std::vector<double> losses = model.train(0, 60);
  for (const double loss : losses) EXPECT_GE(loss, std::log(2.0) - 1e-6);
}

TEST(Ggd, LearnsToTellTheGraphFromItsShuffledSelf) {
  TinyModel model("ggd", options(0.1, 0.1));
  const EpochLoss before = model.loss(100);
  EXPECT_LT(before.positive_sigma.item<double>() - before.negative_sigma.item<double>(), 0.1);
  model.train(0, 100);
  const EpochLoss after = model.loss(100);
  EXPECT_GT(after.positive_sigma.item<double>() - after.negative_sigma.item<double>(), 0.2);
}

}  // namespace
}  // namespace creg::ggd_test
