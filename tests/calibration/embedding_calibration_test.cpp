#include "calibration/embedding_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/random.h"
#include "support/device_under_test.h"
#include "support/graphs.h"

namespace creg::embedding_calibration_test {
namespace {

DenseMatrix rows_of(std::int64_t rows, std::vector<float> values) {
  const auto cols = static_cast<std::int64_t>(values.size()) / rows;
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

DenseMatrix noise(std::int64_t rows, std::int64_t cols) {
  RandomStream stream(9, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return rows_of(rows, std::move(values));
}

TEST(EmbeddingCalibration, HasWhatItsPartsHave) {
  const Context context = test::context({.threads = 2});
  Graph graph;
  graph.adjacency = test::csr(30, {{0, 1}, {1, 0}});
  const DenseMatrix h = noise(30, 4);
  const EmbeddingCalibration bare = embedding_calibration(context, graph, h, {.k = 3});
  EXPECT_FALSE(bare.spectrum.has_value());
  EXPECT_FALSE(bare.pairs.labelled.has_value());
  double mean = 0;
  std::vector<double> norms;
  for (std::int64_t i = 0; i < 30; ++i) {
    double squares = 0;
    for (const float value : h.row(i)) squares += static_cast<double>(value) * value;
    norms.push_back(std::sqrt(squares));
    mean += norms.back() / 30;
  }
  double variance = 0;
  for (const double norm : norms) variance += (norm - mean) * (norm - mean) / 29;
  EXPECT_NEAR(bare.norm_mean, mean, 1e-6);
  EXPECT_NEAR(bare.norm_variance, variance, 1e-6);
  std::vector<std::int32_t> labels(30);
  for (std::int32_t i = 0; i < 30; ++i) labels[static_cast<std::size_t>(i)] = i % 2;
  graph.labels = Array<std::int32_t>(labels);
  const EmbeddingCalibration labelled = embedding_calibration(context, graph, h, {.k = 3});
  EXPECT_TRUE(labelled.spectrum.has_value());
  EXPECT_TRUE(labelled.pairs.labelled.has_value());
}

/// Four rows: lengths 1, 1, 3, 3, all products known.
TEST(UnlabelledScore, IsTheVarianceOfLengthsTimesWhatRandomPairsAreNotSureOf) {
  const Context context = test::context({.threads = 1});
  const DenseMatrix h = rows_of(4, {1, 0, 0, 1, 3, 0, 0, 3});
  const auto sigma = [](double x) { return 1 / (1 + std::exp(-x)); };
  // Of the six pairs two have the product 3, four have 0.
  const double mean_sigma = (2 * sigma(3) + 4 * 0.5) / 6;
  EXPECT_NEAR(unlabelled_score(context, h), 4.0 / 3 * (1 - mean_sigma), 5e-3);
  // Lengths that are all one say nothing.
  EXPECT_EQ(unlabelled_score(context, rows_of(3, {1, 0, 0, 1, -1, 0})), 0);
}

TEST(EceAmong, SeesNoOtherNodes) {
  const Context context = test::context({.threads = 1});
  Graph graph;
  graph.adjacency = test::csr(40, {});
  const DenseMatrix h = noise(40, 3);
  std::vector<std::int32_t> labels(40);
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < 40; ++i) {
    labels[static_cast<std::size_t>(i)] = i % 3;
    if (i % 2 == 1) nodes.push_back(i);
  }
  graph.labels = Array<std::int32_t>(labels);
  const std::optional<double> found = ece_among(context, graph, h, nodes);
  ASSERT_TRUE(found.has_value());
  // The reference: a graph of these nodes alone.
  Graph part;
  part.adjacency = test::csr(20, {});
  std::vector<float> values;
  std::vector<std::int32_t> some;
  for (const std::int32_t node : nodes) {
    values.insert(values.end(), h.row(node).begin(), h.row(node).end());
    some.push_back(labels[static_cast<std::size_t>(node)]);
  }
  part.labels = Array<std::int32_t>(some);
  const EmbeddingCalibration wanted = embedding_calibration(context, part, rows_of(20, values), {});
  EXPECT_NEAR(*found, wanted.pairs.labelled->ece.ece(), 1e-12);
  EXPECT_FALSE(ece_among(context, graph, h, std::vector<std::int32_t>{3}).has_value());
}

}  // namespace
}  // namespace creg::embedding_calibration_test
