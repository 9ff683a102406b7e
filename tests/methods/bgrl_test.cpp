#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph/transforms.h"
#include "io/file.h"
#include "methods/tiny_model.h"
#include "support/test_data.h"

namespace creg::bgrl_test {
namespace {

using test::TinyModel;

MethodOptions options() {
  return {.views = {.projection = 5}, .encoder = {.dim = 6}, .epochs = 10};
}

at::Tensor slow(const TinyModel& model, const std::string& name) {
  for (const NamedTensor& kept : model.method->state()) {
    if (kept.name == "slow." + name) return test::on_host(kept.value);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Bgrl, PredictsWhatTheSlowCopySeesInTheOtherView) {
  MethodOptions plain = options();
  plain.views = {.drop_edges1 = 0,
                 .drop_edges2 = 0,
                 .drop_features1 = 0,
                 .drop_features2 = 0,
                 .projection = 5};
  TinyModel model("bgrl", plain);
  const at::Tensor matrix = test::gcn_matrix(model.graph);
  const at::Tensor x = test::dense_features(model.graph);
  test::expect_formula(model, 0, [&](test::Values& p) {
    // Without drops both views are the graph, and at the start the copy is the encoder.
    const at::Tensor h = test::gcn_layer(matrix, x, p);
    const at::Tensor target = h.detach();
    const at::Tensor inner = h.mm(p.at("projection.0.weight")) + p.at("projection.0.bias");
    const at::Tensor bent = at::where(inner > 0, inner, at::exp(inner) - 1);
    const at::Tensor guess = bent.mm(p.at("projection.1.weight")) + p.at("projection.1.bias");
    const at::Tensor cosine = (guess * target).sum(1) / (guess.norm(2, 1) * target.norm(2, 1));
    return 2 - 2 * cosine.mean();
  });
}

TEST(Bgrl, TheSlowCopyFollowsTheEncoderAtItsShare) {
  TinyModel model("bgrl", options());
  const at::Tensor weight = model.parameter("encoder.0.weight");
  const at::Tensor before = test::on_host(weight).clone();
  EXPECT_TRUE(slow(model, "encoder.0.weight").equal(before));
  weight.detach().add_(1);
  model.loss(0);
  EXPECT_TRUE(slow(model, "encoder.0.weight").equal(before)) << "not before the first step";
  model.loss(5);
  // Half way the copy keeps 0.995 of itself.
  EXPECT_TRUE(slow(model, "encoder.0.weight").allclose(before + 0.005, 1e-4, 1e-5));
}

TEST(Bgrl, TheSlowCopyFollowsFromTheSecondEpochOn) {
  TinyModel model("bgrl", options());
  const at::Tensor weight = model.parameter("encoder.0.weight");
  const at::Tensor before = test::on_host(weight).clone();
  weight.detach().add_(100);
  model.loss(1);
  const double taken = 0.01 * (std::cos(std::numbers::pi / 10) + 1) / 2;
  EXPECT_TRUE(slow(model, "encoder.0.weight").allclose(before + 100 * taken, 1e-4, 1e-5));
}

TEST(Bgrl, TheSlowCopyComesBackFromAKeptState) {
  TinyModel one("bgrl", options());
  one.train(0, 4);
  TinyModel other("bgrl", options());
  other.method->restore(one.method->state());
  for (const NamedTensor& kept : one.method->state()) {
    EXPECT_TRUE(test::equal(slow(other, kept.name.substr(5)), kept.value)) << kept.name;
  }
}

TEST(Bgrl, TrainingBringsTheViewsTogether) {
  TinyModel model("bgrl", options());
  const std::vector<double> losses = model.train(0, 30);
  EXPECT_LT(losses.back(), 0.7 * losses.front());
}

double mean_cosine_of_pairs(TinyModel& model) {
  EpochPass pass = model.pass(0, false);
  const at::Tensor h = test::on_host(pass.embedding());
  const at::Tensor unit = h / h.norm(2, 1, true);
  const auto count = static_cast<double>(h.size(0));
  return (unit.mm(unit.t()).sum().item<double>() - count) / (count * (count - 1));
}

/// Without negatives nothing but the normalised channels of the recipe keeps all nodes from
/// becoming one.
TEST(Bgrl, NormalisedChannelsKeepNodesApart) {
  constexpr int steps = 100;
  const Graph graph = row_normalise_features(Context(), test::two_groups(60, 200));
  for (const bool channel_norm : {false, true}) {
    TinyModel model("bgrl",
                    {.views = {.projection = 16},
                     .encoder = {.dim = 16, .layers = 2, .channel_norm = channel_norm},
                     .epochs = steps},
                    graph);
    EXPECT_LT(mean_cosine_of_pairs(model), 0.9);
    model.train(0, steps, 0.002);
    if (channel_norm) {
      EXPECT_LT(mean_cosine_of_pairs(model), 0.4);
    } else {
      EXPECT_GT(mean_cosine_of_pairs(model), 0.99);
    }
  }
}

std::string text_of(const std::string& path) {
  return std::string(map_file(test::source_dir() / path).text());
}

TEST(Bgrl, IsWhatThePageOnAddingAMethodSays) {
  const std::string page = text_of("docs/adding-a-method.md");
  const std::string code = text_of("src/methods/bgrl.cpp");
  ASSERT_FALSE(code.empty());
  EXPECT_NE(page.find("```cpp\n" + code + "```"), std::string::npos);
  EXPECT_NE(page.find("```toml\n" + text_of("recipes/bgrl/default.toml") + "```"),
            std::string::npos);
  EXPECT_LT(std::count(code.begin(), code.end(), '\n'), 150);
  for (const char* line : {"METHOD(bgrl)"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line;
    EXPECT_NE(text_of("src/methods/methods.cpp").find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace creg::bgrl_test
