#include "creg/methods/method.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "creg/contrast/pairs.h"
#include "creg/core/random.h"
#include "graph/non_edges.h"
#include "methods/tiny_model.h"
#include "ops/csr.h"
#include "ops/similarity.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/gradients.h"

namespace creg::methods_test {
namespace {

at::Tensor log_of_sigma(const at::Tensor& x) {
  return at::minimum(x, at::zeros_like(x)) - at::log1p(at::exp(-at::abs(x)));
}

at::Tensor unit_rows(const at::Tensor& x) {
  return x / x.norm(2, 1, true).clamp_min(1e-12);
}

struct PairModel : test::TinyModel {
  explicit PairModel(const std::string& name, const ContrastOptions& contrast,
                     Graph made = test::two_groups(), const test::OwnValues& own = {})
      : TinyModel(name, {.contrast = contrast, .encoder = {.dim = 6}, .epochs = 10},
                  std::move(made), own) {}

  at::Tensor hidden() {
    EpochPass one = pass();
    return test::on_host(one.hidden()).to(at::kDouble);
  }

  /// The encoder as a formula of the parameters.
  at::Tensor encoded(const test::Values& values) const {
    return test::gcn_layer(test::gcn_matrix(graph), test::dense_features(graph), values);
  }
};

at::Tensor reference(const at::Tensor& anchors, const at::Tensor& positives, const at::Tensor& h,
                     const at::Tensor& negatives, double temperature) {
  at::Tensor loss = -log_of_sigma((anchors * positives).sum(1) / temperature);
  for (std::int64_t k = 0; k < negatives.size(1); ++k) {
    const at::Tensor other = h.index_select(0, negatives.select(1, k));
    loss = loss - log_of_sigma(-(anchors * other).sum(1) / temperature);
  }
  return loss.mean();
}

/// After training the score of a method's positives is above that of its negatives, in the mean
/// over a few draws; it is not before.
void expect_learns_to_tell_pairs(PairModel& model, double margin) {
  const auto gap = [&] {
    double sum = 0;
    for (std::uint32_t epoch = 100; epoch < 110; ++epoch) {
      const EpochLoss drawn = model.loss(epoch);
      sum += drawn.positive_sigma.item<double>() - drawn.negative_sigma.item<double>();
    }
    return sum / 10;
  };
  EXPECT_LT(gap(), margin / 4);
  model.train(0, 120);
  EXPECT_GT(gap(), margin);
}

TEST(Ml, IsTheLossOfTheNodeOneLevelDeeper) {
  PairModel model("ml", {.negatives = 2, .temperature = 0.5});
  EXPECT_EQ(model.loss(3).anchors, 40);
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor h = model.encoded(p);
    const at::Tensor deeper = test::gcn_matrix(model.graph).mm(h);
    return reference(deeper, h, h, draw_negatives(Context(), 40, 2, 5, 3), 0.5);
  });
}

TEST(Ml, ABilinearScorePutsItsMatrixBetween) {
  PairModel model("ml", {.score = Score::bilinear});
  const std::string matrix = model.parameters.all().back().name;
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor h = model.encoded(p);
    const at::Tensor deeper = test::gcn_matrix(model.graph).mm(h).mm(p.at(matrix).t());
    return reference(deeper, h, h, draw_negatives(Context(), 40, 1, 5, 3), 1);
  });
}

/// The propagation is of the rows as the encoder gives them, then both sides get length 1.
TEST(Ml, UnitRowsPropagateFirst) {
  PairModel model("ml", {});
  EpochPass pass(model.context, model.inputs, *model.encoder,
                 {.seed = 5, .epoch = 3, .step = 3, .unit_rows = true});
  const double loss = model.method->loss(pass).loss.item<double>();
  const at::Tensor h = model.hidden();
  const at::Tensor deeper = unit_rows(test::gcn_matrix(model.graph).mm(h));
  const at::Tensor wanted =
      reference(deeper, unit_rows(h), unit_rows(h), draw_negatives(Context(), 40, 1, 5, 3), 1);
  EXPECT_NEAR(loss, wanted.item<double>(), 1e-5);
}

TEST(Ml, LearnsToTellANodesNeighbourhoodFromOthers) {
  PairModel model("ml", {});
  expect_learns_to_tell_pairs(model, 0.2);
}

/// Which neighbours are drawn goes by the embedding as it is; no gradient comes of that.
TEST(Lc, PullsTowardsADrawnNeighbour) {
  PairModel model("lc", {}, test::two_groups(), {{"k", "2"}});
  const at::Tensor drawn = test::on_host(draw_top_neighbour(
      model.context, test::on(model.hidden().to(at::kFloat)),
      csr_tensors(model.context, model.graph.adjacency), 2, Similarity::dot, 5, 3));
  const at::Tensor nodes = at::nonzero(drawn >= 0).reshape({-1});
  ASSERT_LT(nodes.numel(), 40);  // node 0 has no neighbour
  EXPECT_EQ(model.loss(3).anchors, nodes.numel());
  const at::Tensor negatives = draw_negatives(Context(), 40, 1, 5, 3).index_select(0, nodes);
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor h = model.encoded(p);
    const at::Tensor positives = h.index_select(0, drawn.index_select(0, nodes));
    return reference(h.index_select(0, nodes), positives, h, negatives, 1);
  });
}

TEST(Lc, GlobalPositivesAreTheMeanOfTheMostSimilar) {
  PairModel model("lc", {}, test::two_groups(), {{"positives", "global"}, {"k", "3"}});
  const at::Tensor unit = unit_rows(model.hidden());
  const at::Tensor nearest = std::get<1>(unit.mm(unit.t()).topk(3, 1));
  EXPECT_EQ(model.loss(3).anchors, 40);
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor h = model.encoded(p);
    const at::Tensor positives =
        h.index_select(0, nearest.reshape({-1})).reshape({40, 3, 6}).mean(1);
    return reference(h, positives, h, draw_negatives(Context(), 40, 1, 5, 3), 1);
  });
}

TEST(Lc, LearnsToTellNeighboursFromOthers) {
  PairModel model("lc", {});
  expect_learns_to_tell_pairs(model, 0.2);
}

TEST(Lc, ACurriculumStartsWithTheClearestNodesAndKeepsThem) {
  for (const std::string positives : {"global", "neighbours"}) {
    PairModel model("lc", {}, test::two_groups(),
                    {{"positives", positives}, {"curriculum", "4"}});  // rounds of 3 epochs
    EpochPass first = model.pass(0);
    EXPECT_LE(model.method->loss(first).anchors, 10);
    const std::vector<NamedTensor> state = model.method->state();
    ASSERT_EQ(state.size(), 1);
    const at::Tensor seeds = state.front().value;
    const at::Tensor entropies =
        test::on_host(row_entropies(model.context, test::on(model.hidden().to(at::kFloat))));
    const at::Tensor wanted = std::get<1>(entropies.topk(10, 0, /*largest=*/false));
    EXPECT_TRUE(test::equal(seeds.to(at::kLong), std::get<0>(wanted.sort())));
    EpochPass second = model.pass(1);
    model.method->loss(second);
    EXPECT_TRUE(test::equal(model.method->state().front().value, seeds));
    EpochPass fourth = model.pass(3);
    model.method->loss(fourth);
    EXPECT_EQ(model.method->state().front().value.numel(), 20);
  }
}

TEST(Lc, LaterRoundsAreSlowerAndOneRoundIsNone) {
  for (const char* rounds : {"0", "1"}) {
    PairModel model("lc", {}, test::two_groups(), {{"curriculum", rounds}});
    for (const int epoch : {0, 1, 7}) EXPECT_EQ(model.method->rate(epoch), 1) << rounds;
    for (const int epoch : {1, 7}) EXPECT_FALSE(model.method->starts_afresh(epoch)) << rounds;
  }
  PairModel model("lc", {}, test::two_groups(), {{"curriculum", "4"}});  // rounds of 3 epochs
  EXPECT_EQ(model.method->rate(2), 1);
  EXPECT_EQ(model.method->rate(3), 0.5);
  EXPECT_TRUE(model.method->starts_afresh(3));
  EXPECT_FALSE(model.method->starts_afresh(4));
}

TEST(Lc, ACurriculumLeavesOutSeedsWithoutANeighbour) {
  PairModel model("lc", {}, test::two_groups(), {{"curriculum", "4"}});
  for (const std::uint32_t epoch : {0, 1, 3, 6, 9}) {
    const std::int64_t anchors = model.loss(epoch).anchors;
    const at::Tensor seeds = model.method->state().front().value;
    const bool lonely = seeds.eq(0).any().item<bool>();  // node 0 has no neighbour
    EXPECT_EQ(anchors, seeds.numel() - (lonely ? 1 : 0)) << epoch;
  }
  EXPECT_EQ(model.loss(10).anchors, 39);
}

TEST(Lc, SeedsComeBackFromAKeptState) {
  const test::OwnValues options = {{"positives", "global"}, {"curriculum", "4"}};
  PairModel one("lc", {}, test::two_groups(), options);
  EpochPass first = one.pass(0);
  one.method->loss(first);
  PairModel other("lc", {}, test::two_groups(), options);
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

/// On the CPU at once, on a GPU by a loss that is not finite.
TEST(Lc, SimilaritiesThatAreNotFiniteAreToldOf) {
  for (const char* positives : {"neighbours", "global"}) {
    PairModel model("lc", {}, test::two_groups(), {{"k", "1"}, {"positives", positives}});
    const double before = model.loss(3).loss.item<double>();
    EXPECT_TRUE(std::isfinite(before));
    model.parameter("encoder.0.weight").detach().fill_(std::numeric_limits<float>::quiet_NaN());
    if (test::tensor_device().is_cpu()) {
      test::expect_error([&] { model.loss(3); }, {"not finite"});
    } else {
      EXPECT_TRUE(std::isnan(model.loss(3).loss.item<double>()));
    }
  }
}

TEST(Dgi, TellsNodesFromShuffledOnesByTheSummary) {
  PairModel model("dgi", {});
  EpochPass pass = model.pass(3);
  const EpochLoss loss = model.method->loss(pass);
  const at::Tensor h = model.hidden();
  const at::Tensor shuffled = test::on_host(pass.corrupted()).to(at::kDouble);
  const at::Tensor w = test::on_host(model.parameter("discriminator.weight")).to(at::kDouble);
  const at::Tensor direction = w.mv(at::sigmoid(h.mean(0)));
  const at::Tensor wanted =
      -(log_of_sigma(h.mv(direction)).mean() + log_of_sigma(-shuffled.mv(direction)).mean()) / 2;
  EXPECT_NEAR(loss.loss.item<double>(), wanted.item<double>(), 1e-6);
  EXPECT_NEAR(loss.positive_sigma.item<double>(), h.mv(direction).sigmoid().mean().item<double>(),
              1e-6);
  EXPECT_NEAR(loss.negative_sigma.item<double>(),
              shuffled.mv(direction).sigmoid().mean().item<double>(), 1e-6);

  const at::Tensor matrix = test::gcn_matrix(model.graph);
  const at::Tensor x = test::dense_features(model.graph);
  const at::Tensor other = x.index_select(0, test::on_host(pass.corruption()).to(at::kLong));
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor clean = test::gcn_layer(matrix, x, p);
    const at::Tensor summary = p.at("discriminator.weight").mv(clean.mean(0).sigmoid());
    return -(log_of_sigma(clean.mv(summary)).mean() +
             log_of_sigma(-test::gcn_layer(matrix, other, p).mv(summary)).mean()) /
           2;
  });
}

TEST(Dgi, ShufflesTheFeaturesOncePerStep) {
  PairModel model("dgi", {});
  EpochPass pass = model.pass(3);
  EXPECT_TRUE(pass.corrupted().is_same(pass.corrupted()));
  EpochPass next = model.pass(4);
  EXPECT_FALSE(test::equal(pass.corrupted(), next.corrupted()));
}

/// Mean of -log sigma over both directions of the edges and over `negatives` drawn non-edges each.
at::Tensor gcn_neg_reference(const PairModel& model, const at::Tensor& anchors, const at::Tensor& h,
                             int negatives, double temperature) {
  const NonEdgeSampler sampler(model.context, model.graph.adjacency, "");
  const auto count = static_cast<std::size_t>(sampler.edges().nonzeros() * negatives);
  std::vector<std::int32_t> from(count);
  std::vector<std::int32_t> to(count);
  sampler.draw(model.context, 5, Purpose::negatives, 3, 0, from, to);
  // How often each pair counts.
  const at::Tensor joined = at::zeros({h.size(0), h.size(0)}, at::kDouble);
  const at::Tensor apart = at::zeros_like(joined);
  for (const auto& [u, v] : test::entries(model.graph.adjacency)) joined[u][v] += 1;
  for (std::size_t i = 0; i < count; ++i) apart[from[i]][to[i]] += 1;
  EXPECT_EQ(joined.sum().item<double>() * negatives, static_cast<double>(count));
  const at::Tensor scores = anchors.mm(h.t()) / temperature;
  const at::Tensor sum = (joined * log_of_sigma(scores) + apart * log_of_sigma(-scores)).sum();
  return -sum / (joined.sum() + apart.sum());
}

TEST(GcnNeg, IsTheMeanOverEdgesAndFreshNonEdges) {
  PairModel model("gcn-neg", {.temperature = 0.5});
  EXPECT_NE(model.loss(3).loss.item<double>(), model.loss(4).loss.item<double>());
  test::expect_formula(model, 3, [&](test::Values& p) {
    const at::Tensor h = model.encoded(p);
    return gcn_neg_reference(model, h, h, 1, 0.5);
  });
}

/// As ml-gcn-standin has it.
TEST(GcnNeg, ABilinearScorePutsItsMatrixBetween) {
  for (const char* name : {"gcn-neg", "ml-gcn-standin"}) {
    PairModel model(name, {.score = Score::bilinear, .negatives = 3});
    const std::string matrix = model.parameters.all().back().name;
    test::expect_formula(model, 3, [&](test::Values& p) {
      const at::Tensor h = model.encoded(p);
      return gcn_neg_reference(model, h.mm(p.at(matrix).t()), h, 3, 1);
    });
  }
}

TEST(GcnNeg, TrainingPutsTheEndsOfEdgesNearerThanOthers) {
  for (const Score score : {Score::dot, Score::bilinear}) {
    PairModel model("gcn-neg", {.score = score});
    expect_learns_to_tell_pairs(model, 0.2);
  }
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
  test::expect_error([] { find_method("mm"); }, {"mm", "ml", "lc"});
}

TEST(Methods, EveryEntryIsWhole) {
  std::set<std::string> names;
  std::set<std::string> keys;
  for (const MethodEntry& method : shipped_methods()) {
    SCOPED_TRACE(method.name);
    EXPECT_TRUE(names.insert(method.name).second);
    EXPECT_FALSE(method.about.empty());
    for (const OwnParameter& own : method.parameters) {
      EXPECT_TRUE(keys.insert(own.key).second) << own.key;
      EXPECT_EQ(own.read(own.initial), own.initial);
    }
    if (method.encoders.empty()) {
      EXPECT_TRUE(method.compute && method.storage);
      continue;
    }
    ParameterList parameters(0, test::tensor_device());
    const MethodOptions options{.own = OwnSettings(method.parameters),
                                .dim = 4,
                                .epochs = 2,
                                .first_width = 4,
                                .features = 3,
                                .nodes = 5,
                                .classes = 2};
    EXPECT_NE(method.make(options, parameters), nullptr);
    if (method.memory) {
      EXPECT_GE(method.memory(options).parameters, 0);
    }
  }
}

TEST(OwnParameters, ReadCheckAndShorten) {
  const OwnParameter whole = own_integer("walks", 10, 1, 20, "");
  EXPECT_EQ(whole.read("7"), "7");
  test::expect_error([&] { whole.read("21"); }, {"walks", "'21'", "1 to 20"});
  test::expect_error([&] { whole.read("2.5"); }, {"walks", "'2.5'"});
  const OwnParameter real = own_real("p", 1, 0.5, 2, "");
  EXPECT_EQ(real.read("1.50"), "1.5");
  test::expect_error([&] { real.read("nan"); }, {"p", "'nan'", "0.5 to 2"});
  EXPECT_TRUE(whole.whole && !real.whole);
  const OwnParameter truth = own_truth("flip", false, "");
  EXPECT_EQ(truth.initial, "false");
  test::expect_error([&] { truth.read("yes"); }, {"flip", "'yes'", "true or false"});
  const OwnParameter choice = own_choice("log", LogForm::stable, "");
  EXPECT_EQ(choice.values, "stable|naive");
  test::expect_error([&] { choice.read("other"); }, {"log", "'other'", "stable or naive"});
}

TEST(OwnSettings, StartAtTheDefaultsAndKnowNoOthers) {
  const std::vector<OwnParameter> parameters = {
      own_integer("walks", 10, 1, 20, ""), own_real("p", 0.25, 0, 1, ""),
      own_truth("flip", true, ""), own_choice("log", LogForm::naive, "")};
  OwnSettings own(parameters);
  EXPECT_EQ(own.integer("walks"), 10);
  EXPECT_EQ(own.real("p"), 0.25);
  EXPECT_TRUE(own.truth("flip"));
  EXPECT_EQ(own.choice<LogForm>("log"), LogForm::naive);
  own.set("walks", "3");
  EXPECT_EQ(own.integer("walks"), 3);
  EXPECT_THROW(own.text("q"), Bug);
  EXPECT_THROW(own.set("q", "1"), Bug);
}

}  // namespace
}  // namespace creg::methods_test
