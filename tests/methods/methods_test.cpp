#include "creg/methods/method.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "creg/contrast/pairs.h"
#include "creg/core/random.h"
#include "creg/graph/non_edges.h"
#include "creg/methods/catalogue.h"
#include "creg/ops/similarity.h"
#include "creg/ops/tensors.h"
#include "methods/tiny_model.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/gradients.h"

namespace creg {
namespace {

at::Tensor log_of_sigma(const at::Tensor& x) {
  return at::minimum(x, at::zeros_like(x)) - at::log1p(at::exp(-at::abs(x)));
}

struct PairModel : test::TinyModel {
  explicit PairModel(const std::string& name, const ContrastOptions& contrast,
                     Graph made = test::two_groups())
      : TinyModel(name, {.contrast = contrast, .encoder = {.dim = 6}, .epochs = 10},
                  std::move(made)) {}

  at::Tensor hidden() {
    EpochPass one = pass();
    return one.hidden().detach().to(at::kDouble);
  }
};

/// Â from its definition.
at::Tensor gcn_matrix(const Graph& graph) {
  at::Tensor a = at::eye(graph.nodes(), at::kDouble);
  for (std::int64_t u = 0; u < graph.nodes(); ++u) {
    for (const std::int32_t v : graph.adjacency.row(u)) a[u][v] = 1;
  }
  const at::Tensor degrees = a.sum(1);
  return a / (degrees.unsqueeze(1) * degrees.unsqueeze(0)).sqrt();
}

double reference(const at::Tensor& anchors, const at::Tensor& positives, const at::Tensor& h,
                 const at::Tensor& negatives, double temperature) {
  at::Tensor loss = -log_of_sigma((anchors * positives).sum(1) / temperature);
  for (std::int64_t k = 0; k < negatives.size(1); ++k) {
    const at::Tensor other = h.index_select(0, negatives.select(1, k));
    loss = loss - log_of_sigma(-(anchors * other).sum(1) / temperature);
  }
  return loss.mean().item<double>();
}

TEST(Ml, IsTheLossOfTheNodeOneLevelDeeper) {
  PairModel model("ml", {.negatives = 2, .temperature = 0.5});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  const at::Tensor deeper = gcn_matrix(model.graph).mm(h);
  EXPECT_NEAR(loss.loss.item<double>(), reference(deeper, h, h, draw_negatives(40, 2, 5, 3), 0.5),
              1e-5);
  EXPECT_EQ(loss.anchors, 40);
}

TEST(Ml, ABilinearScorePutsItsMatrixBetween) {
  PairModel model("ml", {.score = Score::bilinear});
  EpochPass pass = model.pass(3);
  const double loss = model.method->loss(pass).loss.item<double>();
  const at::Tensor h = model.hidden();
  const at::Tensor c = model.parameters.all().back().value.detach().to(at::kDouble);
  const at::Tensor deeper = gcn_matrix(model.graph).mm(h).mm(c.t());
  EXPECT_NEAR(loss, reference(deeper, h, h, draw_negatives(40, 1, 5, 3), 1), 1e-5);
}

/// The propagation is of the rows as the encoder gives them, then both sides get length 1.
TEST(Ml, UnitRowsPropagateFirst) {
  PairModel model("ml", {});
  EpochPass pass(model.context, model.inputs, *model.encoder,
                 {.seed = 5, .epoch = 3, .unit_rows = true});
  const double loss = model.method->loss(pass).loss.item<double>();
  const auto unit = [](const at::Tensor& x) { return x / x.norm(2, 1, true).clamp_min(1e-12); };
  const at::Tensor h = model.hidden();
  const at::Tensor deeper = unit(gcn_matrix(model.graph).mm(h));
  EXPECT_NEAR(loss, reference(deeper, unit(h), unit(h), draw_negatives(40, 1, 5, 3), 1), 1e-5);
}

TEST(Lc, PullsTowardsADrawnNeighbour) {
  PairModel model("lc", {.k = 2});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  const at::Tensor drawn = draw_top_neighbour(model.context, h.to(at::kFloat),
                                              model.graph.adjacency, 2, Similarity::dot, 5, 3);
  const at::Tensor nodes = at::nonzero(drawn >= 0).reshape({-1});
  ASSERT_LT(nodes.numel(), 40);  // node 0 has no neighbour
  EXPECT_EQ(loss.anchors, nodes.numel());
  const at::Tensor anchors = h.index_select(0, nodes);
  const at::Tensor positives = h.index_select(0, drawn.index_select(0, nodes));
  const at::Tensor negatives = draw_negatives(40, 1, 5, 3).index_select(0, nodes);
  EXPECT_NEAR(loss.loss.item<double>(), reference(anchors, positives, h, negatives, 1), 1e-5);
}

TEST(Lc, GlobalPositivesAreTheMeanOfTheMostSimilar) {
  PairModel model("lc", {.positives = Positives::global, .k = 3});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  const at::Tensor unit = h / h.norm(2, 1, true).clamp_min(1e-12);
  const at::Tensor nearest = std::get<1>(unit.mm(unit.t()).topk(3, 1));
  const at::Tensor positives = h.index_select(0, nearest.reshape({-1})).reshape({40, 3, 6}).mean(1);
  EXPECT_EQ(loss.anchors, 40);
  EXPECT_NEAR(loss.loss.item<double>(), reference(h, positives, h, draw_negatives(40, 1, 5, 3), 1),
              1e-4);
}

TEST(Lc, ACurriculumStartsWithTheClearestNodesAndKeepsThem) {
  for (const Positives positives : {Positives::global, Positives::neighbours}) {
    PairModel model("lc", {.positives = positives, .curriculum = 4});  // rounds of 3 epochs
    EpochPass first = model.pass(0);
    EXPECT_LE(model.method->loss(first).anchors, 10);
    const std::vector<NamedTensor> state = model.method->state();
    ASSERT_EQ(state.size(), 1);
    const at::Tensor seeds = state.front().value;
    const at::Tensor wanted = std::get<1>(
        row_entropies(model.context, model.hidden().to(at::kFloat)).topk(10, 0, /*largest=*/false));
    EXPECT_TRUE(at::equal(seeds.to(at::kLong), std::get<0>(wanted.sort())));
    EpochPass second = model.pass(1);
    model.method->loss(second);
    EXPECT_TRUE(at::equal(model.method->state().front().value, seeds));
    EpochPass fourth = model.pass(3);
    model.method->loss(fourth);
    EXPECT_EQ(model.method->state().front().value.numel(), 20);
  }
}

TEST(Lc, SeedsComeBackFromAKeptState) {
  const ContrastOptions options = {.positives = Positives::global, .curriculum = 4};
  PairModel one("lc", options);
  EpochPass first = one.pass(0);
  one.method->loss(first);
  PairModel other("lc", options);
  other.method->restore(one.method->state());
  EpochPass here = one.pass(1);
  EpochPass there = other.pass(1);
  EXPECT_EQ(one.method->loss(here).loss.item<float>(),
            other.method->loss(there).loss.item<float>());
}

TEST(Lc, AGraphWithoutEdgesHasNoPairs) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {});
  PairModel model("lc", {}, graph);
  EpochPass pass = model.pass(0);
  test::expect_error([&] { model.method->loss(pass); }, {"no node has a neighbour", "global"});
}

TEST(Dgi, TellsNodesFromShuffledOnesByTheSummary) {
  PairModel model("dgi", {});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  const at::Tensor shuffled = pass.corrupted().detach().to(at::kDouble);
  const at::Tensor w = model.parameters.all().back().value.detach().to(at::kDouble);
  const at::Tensor direction = w.mv(at::sigmoid(h.mean(0)));
  const at::Tensor wanted =
      -(log_of_sigma(h.mv(direction)).mean() + log_of_sigma(-shuffled.mv(direction)).mean()) / 2;
  EXPECT_NEAR(loss.loss.item<double>(), wanted.item<double>(), 1e-6);
  EXPECT_NEAR(loss.positive_sigma, h.mv(direction).sigmoid().mean().item<double>(), 1e-6);
  EXPECT_NEAR(loss.negative_sigma, shuffled.mv(direction).sigmoid().mean().item<double>(), 1e-6);
  loss.loss.backward();
  for (const NamedTensor& item : model.parameters.all()) {
    EXPECT_TRUE(item.value.grad().defined()) << item.name;
  }
}

TEST(Dgi, ShufflesTheFeaturesOncePerStep) {
  PairModel model("dgi", {});
  EpochPass pass = model.pass(3);
  EXPECT_TRUE(pass.corrupted().is_same(pass.corrupted()));
  EpochPass next = model.pass(4);
  EXPECT_FALSE(at::equal(pass.corrupted(), next.corrupted()));
}

/// Mean of -log sigma over both directions of the edges and over `negatives` drawn non-edges each.
double gcn_neg_reference(const PairModel& model, const at::Tensor& anchors, const at::Tensor& h,
                         int negatives, double temperature) {
  const NonEdgeSampler sampler(model.context, model.graph.adjacency, "");
  const auto count = static_cast<std::size_t>(sampler.edges().nonzeros() * negatives);
  std::vector<std::int32_t> from(count);
  std::vector<std::int32_t> to(count);
  sampler.draw(model.context, 5, Purpose::negatives, 3, 0, from, to);
  const at::Tensor scores = anchors.mm(h.t()) / temperature;
  double sum = 0;
  std::int64_t pairs = 0;
  for (const auto& [u, v] : test::entries(model.graph.adjacency)) {
    sum -= log_of_sigma(scores[u][v]).item<double>();
    ++pairs;
  }
  EXPECT_EQ(pairs * negatives, static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    sum -= log_of_sigma(-scores[from[i]][to[i]]).item<double>();
  }
  return sum / static_cast<double>(pairs * (1 + negatives));
}

TEST(GcnNeg, IsTheMeanOverEdgesAndFreshNonEdges) {
  PairModel model("gcn-neg", {.temperature = 0.5});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  EXPECT_NEAR(loss.loss.item<double>(), gcn_neg_reference(model, h, h, 1, 0.5), 1e-5);
  EpochPass next = model.pass(4);
  EXPECT_NE(model.method->loss(next).loss.item<double>(), loss.loss.item<double>());

  PairModel more("gcn-neg", {.score = Score::bilinear, .negatives = 3});
  EpochPass other = more.pass(3);
  const double found = more.method->loss(other).loss.item<double>();
  const at::Tensor c = more.parameters.all().back().value.detach().to(at::kDouble);
  const at::Tensor rows = more.hidden();
  EXPECT_NEAR(found, gcn_neg_reference(more, rows.mm(c.t()), rows, 3, 1), 1e-5);
}

TEST(GcnNeg, NeedsEdges) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {});
  PairModel lonely("gcn-neg", {}, graph);
  EXPECT_TRUE(lonely.method->needs_edges());
  EpochPass pass = lonely.pass(0);
  test::expect_error([&] { lonely.method->loss(pass); }, {"no edges", "gcn-neg"});
}

TEST(Methods, UnknownNamesListTheKnownOnes) {
  test::expect_error([] { describe_method("mm"); }, {"mm", "ml", "lc"});
  ParameterList parameters(0);
  test::expect_error([&] { make_method("mm", {}, parameters); }, {"mm", "ml", "lc"});
}

TEST(Methods, EveryOneOfTheCatalogueCanBeMade) {
  for (const MethodDescription& method : method_catalogue()) {
    if (method.encoders.empty()) continue;
    ParameterList parameters(0);
    EXPECT_NE(
        make_method(
            method.name,
            {.dim = 4, .epochs = 2, .first_width = 4, .features = 3, .nodes = 5, .classes = 2},
            parameters),
        nullptr);
  }
}

}  // namespace
}  // namespace creg
