#include "report/calibration_report.h"

#include <gtest/gtest.h>

#include "report/writers.h"

namespace creg::calibration_report_test {
namespace {

/// Numbers that are exact in a few digits.
CalibratedRun labelled_run(double sigma) {
  CalibratedRun run{.file = "e.npy"};
  PairCalibration& pairs = run.embedding.pairs;
  pairs = {.anchors = 90,
           .positive_pairs = 450,
           .negative_pairs = 450,
           .mean_sigma_positive = 0.75,
           .mean_sigma_random = sigma};
  LabelledPairs labelled{.positive_pairs = 400, .negative_pairs = 300, .q_uniform = 0.25};
  labelled.ece.positive = {.q = 0.5, .same_part = 0.25, .different_part = 0.125};
  labelled.ece.negative = {.q = 0.25, .same_part = 0.0625, .different_part = 0.5};
  labelled.equal_width = {
      {.low = 0, .high = 1, .weight = 1, .mean_chance = 0.5, .frequency = 0.25}};
  labelled.intervals.emplace().ece = {0.25, 0.75};
  pairs.labelled = labelled;
  run.embedding.spectrum.emplace();
  ClassifierCalibration classifier{.train = 30, .no_after = "no val nodes"};
  classifier.test.accuracy = 0.5;
  run.classifier = classifier;
  run.bound = BoundResult{.reason = "one class"};
  run.direction = DirectionStatistics{.draws = 20, .share_above = 0.125};
  return run;
}

CalibrationOutcome outcome_of(std::vector<CalibratedRun> runs) {
  return {.dataset = "ring", .nodes = 90, .labelled = 90, .protocol = "public", .runs = runs};
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
  }
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(CalibrationReport, HasTheKeysOfScriptsInTheirOrder) {
  const auto found = to_json(calibration_report(outcome_of({labelled_run(0.5)})).body);
  std::vector<std::string> expected = {"task",       "dataset",    "nodes", "labelled",   "anchors",
                                       "sampled",    "positives",  "k",     "similarity", "self",
                                       "r_positive", "r_negative", "bins",  "resamples",  "runs"};
  std::vector<std::string> figures;
  for (const CalibrationKey& key : calibration_keys()) figures.emplace_back(key.name);
  expected.insert(expected.end(), figures.begin(), figures.end());
  expected.insert(expected.end(), {"metrics", "each"});
  EXPECT_EQ(keys_of(found), expected);
  EXPECT_EQ(keys_of(found["metrics"]), figures);

  const auto& each = found["each"][0];
  std::vector<std::string> of_run = figures;
  of_run.insert(of_run.begin(), "file");
  of_run.insert(of_run.end(), {"positive_pairs", "negative_pairs", "mean_sigma_random_interval",
                               "labelled", "classifier", "theorem_1", "theorem_2", "classes"});
  EXPECT_EQ(keys_of(each), of_run);
  EXPECT_EQ(each["labelled"]["parts"].dump(),
            "{\"true_positive\":0.125,\"false_positive\":0.0625,\"false_negative\":0.03125,"
            "\"true_negative\":0.25}");
  EXPECT_EQ(each["labelled"]["intervals"]["ece"].dump(), "[0.25,0.75]");
  EXPECT_EQ(each["labelled"]["reliability"]["equal_width"].dump(),
            "[{\"low\":0.0,\"high\":1.0,\"weight\":1.0,\"mean_chance\":0.5,\"frequency\":0.25}]");
  EXPECT_EQ(keys_of(each["classifier"]),
            (std::vector<std::string>{"train", "test", "after", "reason"}));
  EXPECT_EQ(each["theorem_1"].dump(), "{\"terms\":null,\"reason\":\"one class\"}");
  EXPECT_EQ(
      keys_of(each["theorem_2"]),
      (std::vector<std::string>{"draws", "share_above", "step_mean", "step_largest",
                                "step_is_small", "variance_before", "variance_after", "above"}));
  EXPECT_EQ(each["classes"].dump(), "[]");
}

TEST(CalibrationReport, OneRunIsShownWithItsPartsAndIntervals) {
  const std::string text = to_text(calibration_report(outcome_of({labelled_run(0.5)})));
  expect_parts(text, {"ring: calibration of an embedding\n", "without labels\n",
                      "  ece                    0.4688  [0.2500, 0.7500]\n",
                      "  true positives   0.1250  same label, confidence below 1\n",
                      "logistic regression on the embedding (public, test nodes)\n  accuracy",
                      "no temperature: no val nodes\n", "Theorem 1: one class\n",
                      "Theorem 2, over 20 directions\n"});
}

TEST(CalibrationReport, SeveralRunsArePooled) {
  const Report report = calibration_report(outcome_of({labelled_run(0.5), labelled_run(0.75)}));
  EXPECT_EQ(to_json(report.body)["mean_sigma_random"], 0.625);
  EXPECT_EQ(to_json(report.body)["each"].size(), 2U);
  const std::string text = to_text(report);
  expect_parts(text, {"ring: calibration of 2 embeddings\n",
                      "  mean_sigma_random    0.6250  0.1250  0.5000  0.7500\n"});
  EXPECT_EQ(text.find("Theorem"), std::string::npos);
  EXPECT_EQ(text.find("true positives"), std::string::npos);
  EXPECT_NE(to_csv(report).find("\nmean_sigma_random,0.625,0.125,0.5,0.75,2\n"), std::string::npos);
}

TEST(CalibrationReport, WithoutLabelsItSaysSo) {
  CalibratedRun run = labelled_run(0.5);
  run.embedding.pairs.labelled.reset();
  run.embedding.spectrum.reset();
  run.classifier.reset();
  run.no_classifier = "no labels";
  const Report report = calibration_report(outcome_of({run}));
  const auto found = to_json(report.body);
  EXPECT_TRUE(found["ece"].is_null());
  EXPECT_TRUE(found["metrics"]["ece"].is_null());
  EXPECT_TRUE(found["each"][0]["labelled"].is_null());
  EXPECT_EQ(found["each"][0]["classifier"].dump(), "{\"test\":null,\"reason\":\"no labels\"}");
  expect_parts(to_text(report), {"name a dataset with labels\n"});
  EXPECT_TRUE(report.charts.empty());
}

TEST(CalibrationReport, DiagramsOfSeveralRunsAreMeansWithTheirSpread) {
  CalibratedRun one = labelled_run(0.5);
  CalibratedRun other = labelled_run(0.5);
  // The first has two bins, the other only the upper one, of thrice the weight.
  one.embedding.pairs.labelled->equal_width = {{0, 0.5, 2, 0.25, 0.5}, {0.5, 1, 1, 0.75, 0.25}};
  other.embedding.pairs.labelled->equal_width = {{0.5, 1, 3, 0.875, 0.75}};
  one.embedding.pairs.labelled->equal_mass = {{0, 0.25, 1, 0.25, 0}, {0.25, 1, 1, 0.5, 1}};
  other.embedding.pairs.labelled->equal_mass = {{0, 0.75, 1, 0.5, 1}, {0.75, 1, 3, 1, 1}};
  const Report report = calibration_report(outcome_of({one, other}));
  const auto& pairs = std::get<ReliabilityDiagram>(report.charts.at(0).drawing);
  ASSERT_EQ(pairs.bins.size(), 2U);
  EXPECT_DOUBLE_EQ(pairs.bins[0].frequency, 0.5);
  EXPECT_DOUBLE_EQ(pairs.bins[1].weight, 4);
  EXPECT_DOUBLE_EQ(pairs.bins[1].mean_chance, (0.75 + 3 * 0.875) / 4);
  EXPECT_DOUBLE_EQ(pairs.bins[1].frequency, (0.25 + 3 * 0.75) / 4);
  EXPECT_EQ(pairs.spreads, (std::vector<double>{0, 0.25}));
  EXPECT_EQ(pairs.note, "mean over 2 seeds; whiskers: ± one standard deviation");
  // By hand: (2·0.25 + 1·0.5) / 3 and 0.125.
  EXPECT_EQ(pairs.scores, "binned ECE 0.2292 ± 0.1042");
  const auto& mass = std::get<ReliabilityDiagram>(report.charts.at(1).drawing);
  ASSERT_EQ(mass.bins.size(), 2U);
  EXPECT_DOUBLE_EQ(mass.bins[0].high, 0.5);
  EXPECT_DOUBLE_EQ(mass.bins[1].mean_chance, 0.875);
  EXPECT_EQ(mass.spreads, (std::vector<double>{0.5, 0}));
  // Without a bin for each of the other's there is no mean.
  other.embedding.pairs.labelled->equal_mass.pop_back();
  const Report apart = calibration_report(outcome_of({one, other}));
  const auto& first = std::get<ReliabilityDiagram>(apart.charts.at(1).drawing);
  EXPECT_EQ(first.bins.size(), 2U);
  EXPECT_TRUE(first.spreads.empty());
  EXPECT_EQ(first.note, "of the first of 2 seeds");
}

TEST(CalibrationReport, HasTheDiagramsOfItsRun) {
  const Report report = calibration_report(outcome_of({labelled_run(0.5)}));
  std::vector<std::string> names;
  for (const Chart& chart : report.charts) names.push_back(chart.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pairs", "pairs-equal-mass", "classifier"}));
}

}  // namespace
}  // namespace creg::calibration_report_test
