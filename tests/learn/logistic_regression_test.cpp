#include "learn/logistic_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "creg/core/random.h"
#include "learn/golden_data.h"
#include "support/expect_error.h"

namespace creg::logistic_regression_test {
namespace {

using nlohmann::json;
using test::golden_data;
using test::GoldenData;

DenseMatrix matrix(std::int64_t rows, std::int64_t cols, std::vector<float> values) {
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

DenseMatrix random_matrix(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return matrix(rows, cols, std::move(values));
}

std::vector<std::int32_t> all_rows(std::int32_t n) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(LogisticRegression, AgreesWithScikitLearn) {
  const Context context;
  const json golden = test::logistic_golden();
  ASSERT_EQ(golden["scikit-learn"], "1.2.1");
  ASSERT_GE(golden["multinomial"].size(), 15U);
  for (const json& spec : golden["multinomial"]) {
    const std::string name = spec["name"].get<std::string>();
    const GoldenData data = golden_data(spec);
    const LogisticFit fit = fit_logistic_regression(
        context, data.train_rows(),
        {.c = spec["c"].get<double>(), .max_iterations = spec["max_iter"].get<int>()});
    const auto weights = spec["weights"].get<std::vector<double>>();
    const auto intercepts = spec["intercepts"].get<std::vector<double>>();
    EXPECT_LT(test::relative_distance(fit.model.weights, weights), 1e-3) << name;
    EXPECT_LT(test::relative_distance(fit.model.intercepts, intercepts), 1e-3) << name;
    EXPECT_EQ(fit.model.classes, spec["labels"].get<std::vector<std::int32_t>>()) << name;
    EXPECT_NEAR(fit.result.iterations, spec["iterations"].get<int>(), 1) << name;
    EXPECT_LE(test::differences(predict(context, fit.model, data.values, data.test),
                                spec["predicted"].get<std::vector<std::int32_t>>()),
              1)
        << name;
  }
}

// The objective by its definition, one row at a time.
double plain_objective(const LabelledRows& data, const LinearModel& model, double c) {
  double value = 0;
  for (const double w : model.weights) value += w * w / (2 * c);
  for (const std::int32_t row : data.rows) {
    std::vector<double> scores = model.intercepts;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      for (std::int64_t k = 0; k < model.features; ++k) {
        scores[j] += model.weights[j * static_cast<std::size_t>(model.features) +
                                   static_cast<std::size_t>(k)] *
                     static_cast<double>(data.values.row(row)[static_cast<std::size_t>(k)]);
      }
    }
    if (scores.size() == 1) scores.insert(scores.begin(), 0.0);
    double sum = 0;
    for (const double score : scores) sum += std::exp(score);
    const auto place = std::find(model.classes.begin(), model.classes.end(),
                                 data.labels[static_cast<std::size_t>(row)]);
    value += std::log(sum) - scores[static_cast<std::size_t>(place - model.classes.begin())];
  }
  return value;
}

TEST(LogisticRegression, GradientIsThatOfTheObjective) {
  const Context context;
  for (const std::int32_t classes : {2, 3, 9}) {
    const std::int32_t n = 40;
    const DenseMatrix values = random_matrix(n, 5, 7);
    std::vector<std::int32_t> labels;
    for (std::int32_t i = 0; i < n; ++i) labels.push_back(i % classes);
    const std::vector<std::int32_t> rows = all_rows(n);
    const LabelledRows data{.values = values, .rows = rows, .labels = labels};
    const double c = 0.7;
    LinearModel model = fit_logistic_regression(context, data, {.max_iterations = 2}).model;
    for (double& b : model.intercepts) b += 0.3;
    const LogisticObjective at = logistic_objective(context, data, model, c);
    EXPECT_NEAR(at.value, plain_objective(data, model, c), 1e-10 * at.value);
    const double h = 1e-5;
    const auto check = [&](double& parameter, double derivative) {
      const double kept = parameter;
      parameter = kept + h;
      const double above = plain_objective(data, model, c);
      parameter = kept - h;
      const double below = plain_objective(data, model, c);
      parameter = kept;
      EXPECT_NEAR(derivative, (above - below) / (2 * h), 1e-6);
    };
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      check(model.weights[i], at.gradient.weights[i]);
    }
    for (std::size_t i = 0; i < model.intercepts.size(); ++i) {
      check(model.intercepts[i], at.gradient.intercepts[i]);
    }
  }
}

TEST(LogisticRegression, IsTheSameForEveryNumberOfThreadsAndSideBySide) {
  const std::int32_t n = 3000;
  const DenseMatrix values = random_matrix(n, 70, 3);  // enough for several chunks
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < n; ++i) labels.push_back((i * 7 + i / 3) % 11);
  const std::vector<std::int32_t> rows = all_rows(n);
  const LabelledRows data{.values = values, .rows = rows, .labels = labels};
  const LogisticOptions options{.max_iterations = 10};
  const LinearModel one = fit_logistic_regression(Context({.threads = 1}), data, options).model;
  const Context context({.threads = 4});
  EXPECT_EQ(fit_logistic_regression(context, data, options).model.weights, one.weights);
  std::vector<LinearModel> models(6);
  parallel_tasks(context, 6, [&](std::int64_t i) {
    models[static_cast<std::size_t>(i)] = fit_logistic_regression(context, data, options).model;
  });
  for (const LinearModel& model : models) EXPECT_EQ(model.weights, one.weights);
}

TEST(LogisticRegression, OneClassIsAConstant) {
  const Context context;
  const DenseMatrix values = matrix(3, 2, {1, 2, 3, 4, 5, 6});
  const std::vector<std::int32_t> labels = {4, 4, 1};
  const std::vector<std::int32_t> two = {0, 1};
  const LogisticFit fit =
      fit_logistic_regression(context, {.values = values, .rows = two, .labels = labels});
  EXPECT_EQ(fit.model.outputs(), 0);
  EXPECT_EQ(predict(context, fit.model, values, all_rows(3)), (std::vector<std::int32_t>{4, 4, 4}));
  const std::vector<std::int32_t> single = {2};
  const LogisticFit lonely =
      fit_logistic_regression(context, {.values = values, .rows = single, .labels = labels});
  EXPECT_EQ(predict(context, lonely.model, values, two), (std::vector<std::int32_t>{1, 1}));
}

TEST(LogisticRegression, WithoutColumnsItLearnsTheFrequencies) {
  const Context context;
  const DenseMatrix values = matrix(4, 0, {});
  const std::vector<std::int32_t> labels = {0, 1, 1, 1};
  const std::vector<std::int32_t> rows = all_rows(4);
  const LogisticFit fit = fit_logistic_regression(
      context, {.values = values, .rows = rows, .labels = labels}, {.tolerance = 1e-8});
  ASSERT_EQ(fit.model.outputs(), 1);
  EXPECT_NEAR(fit.model.intercepts[0], std::log(3.0), 1e-6);
}

TEST(LogisticRegression, HugeValuesStayFinite) {
  const Context context;
  const DenseMatrix values = matrix(4, 1, {1e30F, 2e30F, -1e30F, 3e-30F});
  const std::vector<std::int32_t> labels = {0, 1, 2, 2};
  const std::vector<std::int32_t> rows = all_rows(4);
  const LogisticFit fit =
      fit_logistic_regression(context, {.values = values, .rows = rows, .labels = labels});
  for (const double w : fit.model.weights) EXPECT_TRUE(std::isfinite(w));
  EXPECT_TRUE(std::isfinite(fit.result.value));
}

TEST(LogisticRegression, BadInputIsNamed) {
  const Context context;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const DenseMatrix values = matrix(3, 2, {1, 2, 3, nan, inf, 6});
  const std::vector<std::int32_t> labels = {0, 1, unlabelled};
  const auto fit = [&](std::vector<std::int32_t> rows, const std::vector<std::int32_t>& of) {
    return [&context, &values, rows, of] {
      fit_logistic_regression(context, {.values = values, .rows = rows, .labels = of});
    };
  };
  test::expect_error(fit({}, labels), {"no row to learn from"});
  test::expect_error(fit({0, 1}, labels), {"not a finite number", "row 1, column 2"});
  test::expect_error(fit({2}, labels), {"not a finite number", "row 2, column 1"});
  test::expect_error(fit({0, 3}, labels), {"row 3", "0 to 2"});
  test::expect_error(fit({0}, {0, 1}), {"2 labels", "3, one per row"});
  test::expect_error(fit({0}, {unlabelled, 0, 0}), {"no label", "row 0"});
  test::expect_error(
      [&] {
        const std::vector<std::int32_t> rows = {0};
        fit_logistic_regression(context, {.values = values, .rows = rows, .labels = labels},
                                {.c = 0});
      },
      {"above 0"});
  test::expect_error(
      [&] {
        const LinearModel model{.classes = {0}, .features = 5};
        predict(context, model, values, all_rows(1));
      },
      {"2 columns", "5"});
}

TEST(LogisticRegression, CallsAfterEveryIterationAndCanBeStopped) {
  const json spec = test::logistic_golden()["multinomial"][2];
  const GoldenData data = golden_data(spec);
  int calls = 0;
  const LogisticFit fit =
      fit_logistic_regression(Context(), data.train_rows(), {.each_iteration = [&] { ++calls; }});
  EXPECT_EQ(calls, fit.result.iterations);
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  EXPECT_THROW(fit_logistic_regression(Context({.stop = stop}), data.train_rows()), Interrupted);
}

}  // namespace
}  // namespace creg::logistic_regression_test
