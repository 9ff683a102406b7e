#include "learn/one_vs_rest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/golden_data.h"
#include "support/expect_error.h"

namespace creg::one_vs_rest_test {
namespace {

using nlohmann::json;
using test::golden_data;
using test::GoldenData;

TEST(OneVsRest, AgreesWithLiblinear) {
  const Context context;
  const json golden = test::logistic_golden();
  ASSERT_GE(golden["one_vs_rest"].size(), 4U);
  for (const json& spec : golden["one_vs_rest"]) {
    const std::string name = spec["name"].get<std::string>();
    const GoldenData data = golden_data(spec);
    const OneVsRestOptions options{.c = spec["c"].get<double>(), .tolerance = 1e-8};
    const LinearModel model = fit_one_vs_rest(context, data.train_rows(), options);
    const auto weights = spec["weights"].get<std::vector<double>>();
    const auto intercepts = spec["intercepts"].get<std::vector<double>>();
    EXPECT_LT(test::relative_distance(model.weights, weights), 1e-4) << name;
    EXPECT_LT(test::relative_distance(model.intercepts, intercepts), 1e-4) << name;
    EXPECT_LE(test::differences(predict(context, model, data.values, data.test),
                                spec["predicted"].get<std::vector<std::int32_t>>()),
              1)
        << name;
  }
}

TEST(OneVsRest, ChoosesTheStrengthThatScikitLearnChooses) {
  const json golden = test::logistic_golden();
  ASSERT_GE(golden["searches"].size(), 3U);
  for (const json& spec : golden["searches"]) {
    const std::string name = spec["name"].get<std::string>();
    const GoldenData data = golden_data(spec);
    int fits = 0;
    const OneVsRestChoice choice = choose_one_vs_rest(Context({.threads = 1}), data.train_rows(),
                                                      {.each_fit = [&] { ++fits; }});
    EXPECT_EQ(choice.c, spec["best_c"].get<double>()) << name;
    EXPECT_EQ(fits, 101);
    EXPECT_EQ(OneVsRestSearch{}.fits(), 101);
    const auto cross = spec["cross_accuracy"].get<std::vector<double>>();
    ASSERT_EQ(choice.cross_accuracy.size(), cross.size());
    for (std::size_t i = 0; i < cross.size(); ++i) {
      EXPECT_NEAR(choice.cross_accuracy[i], cross[i], 1e-8) << name << ", candidate " << i;
    }
    EXPECT_LE(test::differences(predict(Context(), choice.model, data.values, data.test),
                                spec["predicted"].get<std::vector<std::int32_t>>()),
              1)
        << name;
  }
}

TEST(OneVsRest, IsTheSameForEveryNumberOfThreads) {
  const GoldenData data = golden_data(test::logistic_golden()["searches"][1]);
  const OneVsRestChoice one = choose_one_vs_rest(Context({.threads = 1}), data.train_rows());
  const OneVsRestChoice four = choose_one_vs_rest(Context({.threads = 4}), data.train_rows());
  EXPECT_EQ(one.model.weights, four.model.weights);
  EXPECT_EQ(one.cross_accuracy, four.cross_accuracy);
}

TEST(OneVsRest, FoldsAreStratified) {
  // Class 1 comes first: the shares of the sorted classes go round from there.
  const std::vector<std::int32_t> targets = {1, 1, 0, 1, 0, 1, 1, 0, 1};
  EXPECT_EQ(stratified_folds(targets, 3), (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  const std::vector<std::int32_t> uneven = {0, 0, 0, 0, 1, 1};
  EXPECT_EQ(stratified_folds(uneven, 3), (std::vector<int>{0, 0, 1, 2, 1, 2}));
}

TEST(OneVsRest, OneClassIsAConstantAndAFoldMayLackAClass) {
  const Context context;
  const DenseMatrix values{.rows = 7, .cols = 1, .values = std::vector<float>{1, 2, 3, 4, 5, 6, 7}};
  const std::vector<std::int32_t> rows = {0, 1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> same(7, 3);
  const OneVsRestChoice constant =
      choose_one_vs_rest(context, {.values = values, .rows = rows, .labels = same});
  EXPECT_EQ(constant.model.outputs(), 0);
  EXPECT_EQ(constant.c, std::exp2(-10));
  EXPECT_EQ(constant.cross_accuracy.front(), 1);

  const std::vector<std::int32_t> rare = {0, 0, 0, 0, 0, 0, 1};
  const OneVsRestChoice choice =
      choose_one_vs_rest(context, {.values = values, .rows = rows, .labels = rare});
  EXPECT_EQ(choice.model.classes, (std::vector<std::int32_t>{0, 1}));
}

TEST(OneVsRest, BadInputIsNamed) {
  const Context context;
  const DenseMatrix values{.rows = 4, .cols = 1, .values = std::vector<float>{1, 2, 3, 4}};
  const std::vector<std::int32_t> rows = {0, 1, 2, 3};
  const std::vector<std::int32_t> labels = {0, 0, 1, 1};
  const LabelledRows data{.values = values, .rows = rows, .labels = labels};
  test::expect_error([&] { choose_one_vs_rest(context, data); },
                     {"at most 2 rows of a class", "at least 5", "another protocol"});
  test::expect_error([&] { fit_one_vs_rest(context, data, {.c = -1}); }, {"above 0"});
}

}  // namespace
}  // namespace creg::one_vs_rest_test
