#include "calibration/classifier_calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "creg/core/random.h"
#include "creg/tasks/classify.h"
#include "learn/logistic_regression.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::classifier_calibration_test {
namespace {

using Nodes = std::vector<std::int32_t>;

struct Scored {
  ClassTable scores;
  Nodes targets;
};

/// Targets are drawn by the softmax of what the scores would be without `factor`.
Scored overconfident(std::int64_t rows, std::int64_t classes, double factor) {
  RandomStream stream(3, Purpose::test);
  Scored out;
  out.scores = {.rows = rows, .classes = classes, .values = {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<double> z;
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      z.push_back(1.5 * stream.normal());
      sum += std::exp(z.back());
    }
    double left = stream.uniform_double() * sum;
    std::int32_t target = 0;
    while (target + 1 < classes && left >= std::exp(z[static_cast<std::size_t>(target)])) {
      left -= std::exp(z[static_cast<std::size_t>(target)]);
      ++target;
    }
    out.targets.push_back(target);
    for (const double value : z) out.scores.values.push_back(factor * value);
  }
  return out;
}

double plain_nll(const Scored& data, double temperature) {
  double loss = 0;
  for (std::int64_t i = 0; i < data.scores.rows; ++i) {
    const auto row = data.scores.row(i);
    double sum = 0;
    for (const double score : row) sum += std::exp(score / temperature);
    loss += std::log(sum) -
            row[static_cast<std::size_t>(data.targets[static_cast<std::size_t>(i)])] / temperature;
  }
  return loss / static_cast<double>(data.scores.rows);
}

/// A grid over the logarithm, then finer ones around its best.
double grid_temperature(const Scored& data) {
  double centre = 0;
  double step = std::log(1e2) / 40;
  for (int level = 0; level < 5; ++level) {
    double best = centre;
    for (int k = -40; k <= 40; ++k) {
      const double here = centre + k * step;
      if (plain_nll(data, std::exp(here)) < plain_nll(data, std::exp(best))) best = here;
    }
    centre = best;
    step /= 20;
  }
  return std::exp(centre);
}

TEST(Temperature, UndoesAFactor) {
  for (const double factor : {0.2, 1.0, 3.0, 12.0}) {
    for (const std::int64_t classes : {2, 5}) {
      const Scored data = overconfident(1500, classes, factor);
      const TemperatureFit fit = fit_temperature(Context(), data.scores, data.targets);
      EXPECT_FALSE(fit.at_limit);
      EXPECT_NEAR(fit.temperature / grid_temperature(data), 1, 1e-3) << factor;
      EXPECT_NEAR(fit.temperature / factor, 1, 0.15) << "up to the noise of 1500 draws";
    }
  }
}

TEST(Temperature, DoesNotDependOnThreads) {
  const Scored data = overconfident(5000, 4, 3);
  EXPECT_EQ(fit_temperature(Context({.threads = 1}), data.scores, data.targets).temperature,
            fit_temperature(Context({.threads = 4}), data.scores, data.targets).temperature);
}

TEST(Temperature, EndsAtItsLimitsWhereTheLossHasNoMinimum) {
  const ClassTable scores{.rows = 3, .classes = 2, .values = {2, 0, 5, 1, 0, 800}};
  const TemperatureFit right = fit_temperature(Context(), scores, Nodes{0, 0, 1});
  EXPECT_EQ(right.temperature, least_temperature);
  EXPECT_TRUE(right.at_limit);
  const TemperatureFit wrong = fit_temperature(Context(), scores, Nodes{1, 1, 0});
  EXPECT_EQ(wrong.temperature, largest_temperature);
  EXPECT_TRUE(wrong.at_limit);
}

TEST(Temperature, IsOneWhereNoneMatters) {
  const ClassTable level{.rows = 2, .classes = 3, .values = {4, 4, 4, 1, 1, 1}};
  EXPECT_EQ(fit_temperature(Context(), level, Nodes{0, 2}).temperature, 1);
  const ClassTable one{.rows = 2, .classes = 1, .values = {0, 0}};
  EXPECT_EQ(fit_temperature(Context(), one, Nodes{0, 0}).temperature, 1);
  const ClassTable unseen{.rows = 1, .classes = 2, .values = {0, 9}};
  const TemperatureFit fit = fit_temperature(Context(), unseen, Nodes{unseen_class});
  EXPECT_EQ(fit.temperature, 1);
  EXPECT_FALSE(fit.at_limit);
}

/// One row that is wrong by much among many that are right by much: Newton alone would run away.
TEST(Temperature, FindsAMinimumBetweenFlatStretches) {
  Scored data;
  data.scores = {.rows = 200, .classes = 2, .values = {}};
  for (int i = 0; i < 200; ++i) {
    data.scores.values.insert(data.scores.values.end(), {0.0, i == 0 ? -300.0 : 300.0});
    data.targets.push_back(1);
  }
  const TemperatureFit fit = fit_temperature(Context(), data.scores, data.targets);
  // sigma(300 / T) = 199 / 200.
  EXPECT_NEAR(fit.temperature, 300 / std::log(199.0), 1e-6);
}

TEST(ConfidenceFigures, AreThoseOfTheChancesByHand) {
  // Chances 0.75/0.25, 0.2/0.8 and 0.5/0.5 (the first class is said).
  const ClassTable scores{
      .rows = 3, .classes = 2, .values = {std::log(3.0), 0, 0, std::log(4.0), 0, 0}};
  const Nodes targets = {0, 0, 1};
  const ConfidenceFigures found = confidence_figures(Context(), scores, targets, 1, 2);
  EXPECT_EQ(found.nodes, 3);
  EXPECT_EQ(found.unseen, 0);
  EXPECT_NEAR(found.accuracy, 1.0 / 3, 1e-15);
  EXPECT_NEAR(found.mean_confidence, (0.75 + 0.8 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found.nll, -(std::log(0.75) + std::log(0.2) + std::log(0.5)) / 3, 1e-12);
  EXPECT_NEAR(found.brier, (0.0625 + 0.64 + 0.25) / 3, 1e-12);
  // All three lie in the upper of two bins.
  ASSERT_EQ(found.bins.size(), 1U);
  EXPECT_NEAR(found.ece, (0.75 + 0.8 + 0.5) / 3 - 1.0 / 3, 1e-12);
  EXPECT_NEAR(found.mce, found.ece, 1e-15);
  // By mass: 0.5 and 0.75 (one of them right), then 0.8.
  ASSERT_EQ(found.equal_mass_bins.size(), 2U);
  EXPECT_NEAR(found.ece_equal_mass, (2 * (0.625 - 0.5) + 0.8) / 3, 1e-12);
  // Temperature 2 takes the root of the odds.
  const ConfidenceFigures warm = confidence_figures(Context(), scores, targets, 2, 2);
  const double a = std::sqrt(3.0) / (1 + std::sqrt(3.0));
  EXPECT_NEAR(warm.mean_confidence, (a + 2.0 / 3 + 0.5) / 3, 1e-12);
  EXPECT_EQ(warm.accuracy, found.accuracy);
}

TEST(ConfidenceFigures, CertaintyAndClassesNeverMetStayFinite) {
  const ClassTable scores{.rows = 3, .classes = 3, .values = {5000, 0, 0, 0, 5000, 0, 1, 0, 0}};
  const ConfidenceFigures found =
      confidence_figures(Context(), scores, Nodes{0, 2, unseen_class}, least_temperature);
  EXPECT_EQ(found.unseen, 1);
  EXPECT_EQ(found.bins.back().high, 1);
  EXPECT_NEAR(found.accuracy, 1.0 / 3, 1e-15);
  EXPECT_NEAR(found.nll, (0 + 5000 / least_temperature - std::log(unseen_chance)) / 3, 1e-6);
  EXPECT_TRUE(std::isfinite(found.brier) && std::isfinite(found.ece));
}

struct Example {
  Graph graph;
  DenseMatrix embedding;
  Split split;
};

Example example(std::int32_t nodes, std::int32_t classes, double noise) {
  Example made;
  made.graph = test::path_graph(nodes);
  RandomStream stream(5, Purpose::test);
  Nodes labels;
  Nodes parts[3];
  std::vector<float> values;
  for (std::int32_t i = 0; i < nodes; ++i) {
    labels.push_back(i % classes);
    parts[i % 7 % 3].push_back(i);
    for (std::int32_t k = 0; k < 6; ++k) {
      values.push_back(
          static_cast<float>((k == i % classes ? 2.0 : 0.0) + noise * stream.normal()));
    }
  }
  made.graph.labels = labels;
  made.embedding = {.rows = nodes, .cols = 6, .values = std::move(values)};
  made.split = {.name = "s", .train = parts[0], .val = parts[1], .test = parts[2]};
  return made;
}

TEST(ClassifierCalibration, IsThatOfTheModelThatClassifyJudges) {
  for (const std::int32_t classes : {2, 4}) {
    const Example made = example(400, classes, 2);
    const ClassifierCalibration found =
        classifier_calibration(Context(), made.graph, made.embedding, made.split);
    const ClassifyResult judged =
        classify(Context(), made.graph, made.embedding, {.given = made.split});
    EXPECT_EQ(found.test.accuracy, judged.accuracy[0]);
    ASSERT_TRUE(found.val && found.after);
    EXPECT_EQ(found.val->accuracy, judged.val_accuracy[0]);
    EXPECT_EQ(found.classes, classes);
    EXPECT_EQ(found.train, made.split.train.size());

    const LinearModel model = fit_logistic_regression(Context(), {.values = made.embedding,
                                                                  .rows = made.split.train,
                                                                  .labels = made.graph.labels})
                                  .model;
    const ClassTable scores = class_scores(Context(), model, made.embedding, made.split.test);
    double nll = 0;
    double confidence = 0;
    for (std::int64_t i = 0; i < scores.rows; ++i) {
      const auto row = scores.row(i);
      double sum = 0;
      for (const double score : row) sum += std::exp(score);
      nll -= row[static_cast<std::size_t>(made.split.test[i] % classes)] - std::log(sum);
      confidence += std::exp(*std::max_element(row.begin(), row.end())) / sum;
    }
    EXPECT_NEAR(found.test.nll, nll / static_cast<double>(scores.rows), 1e-12);
    EXPECT_NEAR(found.test.mean_confidence, confidence / static_cast<double>(scores.rows), 1e-12);

    EXPECT_EQ(found.after->test.accuracy, found.test.accuracy);
    EXPECT_EQ(found.after->val.accuracy, found.val->accuracy);
    EXPECT_LT(found.after->val.nll, found.val->nll);
    EXPECT_GT(found.after->fit.temperature, 1) << "noise makes it too sure";
    EXPECT_LT(found.after->test.ece, found.test.ece);
  }
}

TEST(ClassifierCalibration, OneClassIsCertainAndRight) {
  const Example made = example(60, 1, 1);
  const ClassifierCalibration found =
      classifier_calibration(Context(), made.graph, made.embedding, made.split);
  EXPECT_EQ(found.test.accuracy, 1);
  EXPECT_EQ(found.test.mean_confidence, 1);
  EXPECT_EQ(found.test.nll, 0);
  EXPECT_EQ(found.test.ece, 0);
  ASSERT_TRUE(found.after);
  EXPECT_EQ(found.after->fit.temperature, 1);
}

TEST(ClassifierCalibration, WithoutValNodesThereIsNoTemperature) {
  Example made = example(100, 3, 1);
  made.split.val = Nodes{};
  const ClassifierCalibration found =
      classifier_calibration(Context(), made.graph, made.embedding, made.split);
  EXPECT_FALSE(found.val);
  EXPECT_FALSE(found.after);
  EXPECT_NE(found.no_after.find("no val nodes"), std::string::npos);
}

TEST(ClassifierCalibration, PartsMayLackClasses) {
  Example made = example(300, 3, 1);
  // Val nodes of classes 0 and 1 only; class 2 is missing from training.
  const auto without_2 = [&](const Array<std::int32_t>& nodes) {
    Nodes kept;
    for (const std::int32_t node : nodes) {
      if (made.graph.labels[node] != 2) kept.push_back(node);
    }
    return kept;
  };
  made.split.val = without_2(made.split.val);
  const ClassifierCalibration all =
      classifier_calibration(Context(), made.graph, made.embedding, made.split);
  EXPECT_EQ(all.val->unseen, 0);
  ASSERT_TRUE(all.after);
  EXPECT_LE(all.after->val.nll, all.val->nll);

  made.split.train = without_2(made.split.train);
  const ClassifierCalibration fewer =
      classifier_calibration(Context(), made.graph, made.embedding, made.split);
  EXPECT_EQ(fewer.classes, 2);
  EXPECT_GT(fewer.test.unseen, 0);
  EXPECT_TRUE(std::isfinite(fewer.test.nll));
  EXPECT_LE(fewer.test.accuracy +
                static_cast<double>(fewer.test.unseen) / static_cast<double>(fewer.test.nodes),
            1);

  Nodes only_2;
  for (const std::int32_t node : made.split.test) {
    if (made.graph.labels[node] == 2) only_2.push_back(node);
  }
  made.split.val = only_2;
  const ClassifierCalibration lost =
      classifier_calibration(Context(), made.graph, made.embedding, made.split);
  EXPECT_TRUE(lost.val);
  EXPECT_FALSE(lost.after);
  EXPECT_NE(lost.no_after.find("no val node"), std::string::npos);
}

TEST(ClassifierCalibration, ChecksWhatItIsGiven) {
  const Example made = example(60, 2, 1);
  Graph bare = made.graph;
  bare.labels = {};
  const auto run = [](const Graph& graph, const DenseMatrix& embedding, const Split& split,
                      int bins = 15) {
    return [=] { classifier_calibration(Context(), graph, embedding, split, bins); };
  };
  test::expect_error(run(bare, made.embedding, made.split), {"needs labels"});
  const DenseMatrix shorter{.rows = 59, .cols = 6, .values = std::vector<float>(59 * 6)};
  test::expect_error(run(made.graph, shorter, made.split), {"59 rows", "60, one per node"});
  std::vector<float> broken(made.embedding.values.begin(), made.embedding.values.end());
  broken[10] = std::numeric_limits<float>::infinity();
  const DenseMatrix diverged{.rows = 60, .cols = 6, .values = std::move(broken)};
  test::expect_error(run(made.graph, diverged, made.split), {"not finite", "row 1, column 5"});
  Split split = made.split;
  split.test = Nodes{60};
  test::expect_error(run(made.graph, made.embedding, split), {"node 60", "0 to 59"});
  split.test = Nodes{};
  test::expect_error(run(made.graph, made.embedding, split), {"no test nodes"});
  test::expect_error(run(made.graph, made.embedding, made.split, 0), {"no bin", "1 or more"});
}

}  // namespace
}  // namespace creg::classifier_calibration_test
