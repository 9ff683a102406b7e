#include "learn/linear_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "creg/core/random.h"
#include "support/expect_error.h"

namespace creg::linear_model_test {
namespace {

struct Example {
  LinearModel model;
  DenseMatrix values;
  std::vector<std::int32_t> rows;
};

Example example(int classes, double scale) {
  constexpr std::int64_t features = 4;
  RandomStream stream(11, Purpose::test);
  Example made;
  made.model.features = features;
  for (int c = 0; c < classes; ++c) made.model.classes.push_back(2 * c + 1);
  const int outputs = classes > 2 ? classes : classes - 1;
  for (int j = 0; j < outputs; ++j) {
    for (std::int64_t k = 0; k < features; ++k) {
      made.model.weights.push_back(scale * stream.normal());
    }
    made.model.intercepts.push_back(stream.normal());
  }
  std::vector<float> values;
  for (int i = 0; i < 30 * features; ++i) values.push_back(static_cast<float>(stream.normal()));
  made.values = {.rows = 30, .cols = features, .values = std::move(values)};
  made.rows = {29, 3, 4, 17, 3, 0};
  return made;
}

/// One score per output, by the definition.
std::vector<double> plain_scores(const Example& made, std::int32_t row) {
  std::vector<double> scores = made.model.intercepts;
  const auto x = made.values.row(row);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      scores[j] += made.model.weights[j * x.size() + k] * static_cast<double>(x[k]);
    }
  }
  return scores;
}

TEST(LinearModel, ThereIsAScorePerClass) {
  for (const int classes : {1, 2, 3, 4, 9}) {
    const Example made = example(classes, 1);
    const ClassTable found = class_scores(Context(), made.model, made.values, made.rows);
    ASSERT_EQ(found.rows, 6);
    ASSERT_EQ(found.classes, classes);
    for (std::size_t i = 0; i < made.rows.size(); ++i) {
      std::vector<double> wanted = plain_scores(made, made.rows[i]);
      // The first class of two, and the only one, has 0.
      if (classes <= 2) wanted.insert(wanted.begin(), 0);
      const auto row = found.row(static_cast<std::int64_t>(i));
      ASSERT_EQ(row.size(), wanted.size());
      for (std::size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], wanted[c], 1e-12);
    }
  }
}

TEST(LinearModel, TheHighestScoreIsThePrediction) {
  for (const int classes : {1, 2, 6}) {
    const Example made = example(classes, 1);
    const std::vector<std::int32_t> predicted =
        predict(Context(), made.model, made.values, made.rows);
    const ClassTable scores = class_scores(Context(), made.model, made.values, made.rows);
    for (std::int64_t i = 0; i < scores.rows; ++i) {
      const auto row = scores.row(i);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      EXPECT_EQ(predicted[static_cast<std::size_t>(i)],
                made.model.classes[static_cast<std::size_t>(best)]);
    }
  }
}

TEST(LinearModel, AMatrixOfAnotherWidthIsRefused) {
  const Example made = example(3, 1);
  const DenseMatrix wide{.rows = 1, .cols = 5, .values = std::vector<float>(5)};
  const std::vector<std::int32_t> rows = {0};
  test::expect_error([&] { class_scores(Context(), made.model, wide, rows); },
                     {"does not fit the classifier", "5 columns", "4"});
}

}  // namespace
}  // namespace creg::linear_model_test
