// MVGRL, and GDCL which goes on from it.
#include <gtest/gtest.h>

#include "core/permutation.h"
#include "methods/tiny_model.h"
#include "support/expect_error.h"

namespace creg::gdcl_test {
namespace {

using test::TinyModel;

constexpr double teleport = 0.2;

MethodOptions options() {
  MethodOptions made;
  made.encoder.kind = EncoderKind::dual;
  made.encoder.dim = 6;
  made.encoder.teleport = teleport;
  return made;
}

const test::OwnValues own = {{"warmup", "2"},
                             {"cluster_interval", "2"},
                             {"cluster_positives", "100"},
                             {"cluster_negatives", "100"},
                             {"later_rate", "0.05"}};

/// The two matrices from their definitions: A + 2I for the diffusion, A + I for the graph.
at::Tensor view_matrix(const Graph& graph, int view) {
  if (view == 0) return test::gcn_matrix(graph);
  const at::Tensor eye = at::eye(graph.nodes(), at::kDouble);
  const at::Tensor walk = test::symmetric_norm(test::dense_adjacency(graph.adjacency) + 2 * eye);
  return teleport * at::inverse(eye - (1 - teleport) * walk);
}

std::string part(int view) {
  return view == 0 ? "encoder.0." : "encoder.1.";
}

at::Tensor log1p_exp(const at::Tensor& x) {
  return x.clamp_min(0) + at::log1p(at::exp(-x.abs()));
}

TEST(Mvgrl, ContrastsTheNodesOfOneViewWithTheSummaryOfTheOther) {
  TinyModel model("mvgrl", options());
  EpochPass pass = model.pass(3);
  const at::Tensor order = test::on_host(pass.corruption()).to(at::kLong);
  const at::Tensor x = test::dense_features(model.graph);
  test::expect_formula(model, 3, [&](test::Values& p) {
    at::Tensor clean[2];
    at::Tensor shuffled[2];
    for (const int view : {0, 1}) {
      const at::Tensor matrix = view_matrix(model.graph, view);
      clean[view] = test::gcn_layer(matrix, x, p, part(view));
      shuffled[view] = test::gcn_layer(matrix, x.index_select(0, order), p, part(view));
    }
    at::Tensor loss = at::zeros({}, at::kDouble);
    for (const int view : {0, 1}) {
      const at::Tensor direction =
          p.at("discriminator.weight").mv(clean[1 - view].mean(0).sigmoid());
      loss = loss + log1p_exp(-clean[view].mv(direction)).mean() +
             log1p_exp(shuffled[view].mv(direction)).mean();
    }
    return loss / 4;
  });
}

TEST(Mvgrl, LearnsToTellCleanNodesFromShuffledOnes) {
  TinyModel model("mvgrl", options());
  model.train(0, 60);
  const EpochLoss found = model.loss(100);
  EXPECT_GT(found.positive_sigma.item<double>(), found.negative_sigma.item<double>() + 0.2);
}

TEST(Gdcl, StartsAsMvgrl) {
  TinyModel gdcl("gdcl", options(), test::two_groups(), own);
  TinyModel mvgrl("mvgrl", options());
  for (const std::uint32_t epoch : {0, 1}) {
    EXPECT_EQ(gdcl.loss(epoch).loss.item<float>(), mvgrl.loss(epoch).loss.item<float>());
  }
  EXPECT_NE(gdcl.loss(2).loss.item<float>(), mvgrl.loss(2).loss.item<float>());
}

/// [nodes, nodes]: whom every node meets, up to `count` of those that `among` lets into its row. Of
/// cluster c they are the first ones in the order of a stream of its own, which is after the
/// `part`-th.
at::Tensor met(const at::Tensor& among, const at::Tensor& cluster, std::int64_t count,
               std::uint64_t part) {
  at::Tensor out = at::zeros_like(among);
  for (std::int64_t i = 0; i < among.size(0); ++i) {
    const auto c = cluster[i].item<std::int64_t>();
    std::int64_t left = count;
    for (const std::int32_t j : keyed_permutation(
             {5, Purpose::negatives, 3, 2 * static_cast<std::uint64_t>(c) + part}, 40)) {
      if (left == 0 || among[i][j].item<double>() == 0) continue;
      out[i][j] = 1;
      --left;
    }
  }
  return out;
}

class GdclTest : public ::testing::TestWithParam<int> {};

TEST_P(GdclTest, ContrastsClustersAndTrainsTheDiffusionAlone) {
  // With room for all of them, friends and strangers are everybody inside and outside.
  test::OwnValues values = own;
  values["cluster_positives"] = std::to_string(GetParam());
  values["cluster_negatives"] = std::to_string(GetParam());
  TinyModel model("gdcl", options(), test::two_groups(), values);
  model.train(0, 2);
  const at::Tensor x = test::dense_features(model.graph);
  const at::Tensor matrix = view_matrix(model.graph, 1);
  model.loss(2);
  at::Tensor centres;
  at::Tensor target;
  for (const NamedTensor& kept : model.method->state()) {
    (kept.name == "clusters.centres" ? centres : target) =
        test::on_host(kept.value).to(at::kDouble);
  }
  ASSERT_EQ(centres.sizes(), (std::vector<std::int64_t>{2, 6}));
  // The target is what the look saw, squared and divided by the size of the cluster.
  test::Values now;
  for (const NamedTensor& item : model.parameters.all()) {
    now[item.name] = test::on_host(item.value.detach()).to(at::kDouble);
  }
  const at::Tensor seen = test::gcn_layer(matrix, x, now, part(1));
  at::Tensor soft =
      at::pow(1 + (seen.unsqueeze(1) - centres.unsqueeze(0)).pow(2).sum(2) / 1e-4, -(1e-4 + 1) / 2);
  soft = soft / soft.sum(1, true);
  const at::Tensor sharper = soft * soft / soft.sum(0, true);
  EXPECT_TRUE(target.allclose(sharper / sharper.sum(1, true), 1e-3, 1e-4));
  // What the features look like with some of each node hidden: 12 columns lose half of theirs.
  const RandomKey noise{5, Purpose::method_draw};
  const at::Tensor hidden_x =
      test::on_host(model.inputs.features.dropped(0.5, noise).dense()).to(at::kDouble) * 0.5;
  const at::Tensor cluster = target.argmax(1);
  // In an epoch that looks for no clusters.
  test::expect_formula(
      model, 3,
      [&](test::Values& p) {
        const at::Tensor h = test::gcn_layer(matrix, x, p, part(1));
        const at::Tensor hidden = test::gcn_layer(matrix, hidden_x, p, part(1));
        const at::Tensor same = (cluster.unsqueeze(0) == cluster.unsqueeze(1)).to(at::kDouble);
        const at::Tensor friends = met(same, cluster, GetParam(), 0);
        const at::Tensor strangers = met(1 - same, cluster, GetParam(), 1);
        const at::Tensor products = h.mm(h.t());
        const at::Tensor near = (at::exp(products) * friends).sum(1) + at::exp((h * hidden).sum(1));
        const at::Tensor far = (at::exp(products / 0.5) * strangers).sum(1);
        const at::Tensor contrast = -at::log(near / (near + far)).mean();
        const at::Tensor distances = (h.unsqueeze(1) - centres.unsqueeze(0)).pow(2).sum(2);
        at::Tensor q = at::pow(1 + distances / 1e-4, -(1e-4 + 1) / 2);
        q = q / q.sum(1, true);
        return contrast + 1e-3 * (target * (at::log(target) - at::log(q))).mean();
      },
      1e-3);
}

INSTANTIATE_TEST_SUITE_P(Gdcl, GdclTest, ::testing::Values(100, 4));

TEST(Gdcl, LooksForClustersOnceInAnInterval) {
  test::OwnValues values = own;
  values["warmup"] = "1";
  values["cluster_interval"] = "3";
  TinyModel model("gdcl", options(), test::two_groups(), values);
  model.train(0, 1);
  EXPECT_TRUE(model.method->state().empty());
  at::Tensor before;
  for (int epoch = 1; epoch < 8; ++epoch) {
    model.train(epoch, epoch + 1);
    const at::Tensor target = model.method->state().back().value.clone();
    // After the first look, those of epochs 4 and 7.
    if (epoch > 1) {
      EXPECT_EQ(test::equal(target, before), epoch % 3 != 1) << epoch;
    }
    before = target;
  }
}

TEST(Gdcl, SlowsDownAfterItsStart) {
  TinyModel model("gdcl", options(), test::two_groups(), own);
  EXPECT_EQ(model.method->rate(1), 1);
  EXPECT_EQ(model.method->rate(2), 0.05);
}

TEST(Gdcl, ClustersComeBackFromAKeptState) {
  TinyModel one("gdcl", options(), test::two_groups(), own);
  one.train(0, 3);
  TinyModel other("gdcl", options(), test::two_groups(), own);
  for (std::size_t i = 0; i < one.parameters.all().size(); ++i) {
    other.parameters.all()[i].value.detach().copy_(one.parameters.all()[i].value);
  }
  other.method->restore(one.method->state());
  EXPECT_EQ(one.loss(3).loss.item<float>(), other.loss(3).loss.item<float>());
}

TEST(Gdcl, AGraphWithoutClassesNeedsTheNumberOfClusters) {
  Graph graph = test::two_groups();
  graph.labels = {};
  graph.class_names = {};
  graph.splits = {};
  test::expect_error([&] { TinyModel("gdcl", options(), graph); }, {"clusters", "--clusters"});
  MethodOptions given = options();
  given.clusters = 3;
  EXPECT_NO_THROW(TinyModel("gdcl", given, graph));
}

}  // namespace
}  // namespace creg::gdcl_test
