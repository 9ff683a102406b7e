#include "learn/softmax_probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/golden_data.h"

namespace creg::softmax_probe_test {
namespace {

using test::golden_data;
using test::GoldenData;

// Softmax regression by Adam as the formulas say it, one number at a time.
struct PlainProbe {
  std::int64_t features;
  std::int64_t classes;
  std::vector<double> w, b, mw, vw, mb, vb;
  int steps = 0;

  explicit PlainProbe(const LinearModel& start)
      : features(start.features),
        classes(start.outputs()),
        w(start.weights),
        b(start.intercepts),
        mw(w.size()),
        vw(w.size()),
        mb(b.size()),
        vb(b.size()) {}

  double score(const DenseMatrix& x, std::int32_t row, std::int64_t c) const {
    double sum = b[static_cast<std::size_t>(c)];
    for (std::int64_t k = 0; k < features; ++k) {
      sum += w[static_cast<std::size_t>(c * features + k)] *
             static_cast<double>(x.row(row)[static_cast<std::size_t>(k)]);
    }
    return sum;
  }

  void step(const GoldenData& data, double rate, double decay = 0) {
    std::vector<double> gw(w.size());
    std::vector<double> gb(b.size());
    for (std::size_t i = 0; i < w.size(); ++i) gw[i] = decay * w[i];
    for (std::size_t i = 0; i < b.size(); ++i) gb[i] = decay * b[i];
    for (const std::int32_t row : data.train) {
      double sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(score(data.values, row, c));
      for (std::int64_t c = 0; c < classes; ++c) {
        double r = std::exp(score(data.values, row, c)) / sum;
        if (c == data.labels[static_cast<std::size_t>(row)]) r -= 1;
        r /= static_cast<double>(data.train.size());
        gb[static_cast<std::size_t>(c)] += r;
        for (std::int64_t k = 0; k < features; ++k) {
          gw[static_cast<std::size_t>(c * features + k)] +=
              r * static_cast<double>(data.values.row(row)[static_cast<std::size_t>(k)]);
        }
      }
    }
    ++steps;
    const auto update = [&](std::vector<double>& x, std::vector<double>& m, std::vector<double>& v,
                            const std::vector<double>& g) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        m[i] = 0.9 * m[i] + 0.1 * g[i];
        v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
        const double mean = m[i] / (1 - std::pow(0.9, steps));
        const double square = v[i] / (1 - std::pow(0.999, steps));
        x[i] -= rate * mean / (std::sqrt(square) + 1e-8);
      }
    };
    update(w, mw, vw, gw);
    update(b, mb, vb, gb);
  }

  double accuracy_on(const GoldenData& data, const std::vector<std::int32_t>& rows) const {
    std::int64_t right = 0;
    for (const std::int32_t row : rows) {
      std::int64_t best = 0;
      for (std::int64_t c = 1; c < classes; ++c) {
        if (score(data.values, row, c) > score(data.values, row, best)) best = c;
      }
      right += best == data.labels[static_cast<std::size_t>(row)] ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(rows.size());
  }
};

GoldenData overlapping_classes() {
  return golden_data(test::logistic_golden()["multinomial"][2]);
}

TEST(SoftmaxProbe, IsAdamOnTheMeanLoss) {
  const GoldenData data = overlapping_classes();
  const Context context;
  PlainProbe plain(fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 0}).model);
  for (int epoch = 0; epoch < 60; ++epoch) plain.step(data, 0.01);
  const ProbeFit fit = fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 60});
  EXPECT_LT(test::relative_distance(fit.model.weights, plain.w), 1e-9);
  EXPECT_LT(test::relative_distance(fit.model.intercepts, plain.b), 1e-9);
  EXPECT_FALSE(fit.val_accuracy);
  EXPECT_EQ(fit.epoch, 60);
}

TEST(SoftmaxProbe, TakesTheFirstBestModelByValidation) {
  const GoldenData data = overlapping_classes();
  const Context context;
  PlainProbe plain(fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 0}).model);
  double best = -1;
  int best_epoch = 0;
  std::vector<double> best_weights;
  for (int epoch = 1; epoch <= 200; ++epoch) {
    plain.step(data, 0.05);
    if (epoch % 20 != 0) continue;
    const double found = plain.accuracy_on(data, data.test);
    if (found > best) {
      best = found;
      best_epoch = epoch;
      best_weights = plain.w;
    }
  }
  const ProbeFit fit = fit_softmax_probe(context, data.train_rows(), data.test,
                                         {.learning_rate = 0.05, .epochs = 200});
  EXPECT_LT(best_epoch, 200) << "the case is to end before the last epoch";
  EXPECT_EQ(fit.epoch, best_epoch);
  EXPECT_EQ(fit.val_accuracy, best);
  EXPECT_LT(test::relative_distance(fit.model.weights, best_weights), 1e-9);
  EXPECT_EQ(fit.val_accuracy,
            accuracy(context, fit.model,
                     {.values = data.values, .rows = data.test, .labels = data.labels}));
}

TEST(SoftmaxProbe, WeightDecayPullsAllCoefficients) {
  const GoldenData data = overlapping_classes();
  const Context context;
  PlainProbe plain(fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 0}).model);
  for (int epoch = 0; epoch < 60; ++epoch) plain.step(data, 0.01, 0.1);
  const ProbeFit fit =
      fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 60, .weight_decay = 0.1});
  EXPECT_LT(test::relative_distance(fit.model.weights, plain.w), 1e-9);
  EXPECT_LT(test::relative_distance(fit.model.intercepts, plain.b), 1e-9);
}

TEST(SoftmaxProbe, TakesTheLatestOfEqualModelsWhereAsked) {
  const GoldenData data = overlapping_classes();
  const Context context;
  const auto fit = [&](bool latest) {
    return fit_softmax_probe(
        context, data.train_rows(), data.test,
        {.learning_rate = 0.05, .epochs = 200, .evaluate_every = 1, .latest_of_equal = latest});
  };
  PlainProbe plain(fit_softmax_probe(context, data.train_rows(), {}, {.epochs = 0}).model);
  double best = -1;
  int latest = 0;
  for (int epoch = 1; epoch <= 200; ++epoch) {
    plain.step(data, 0.05);
    const double found = plain.accuracy_on(data, data.test);
    if (found >= best) {
      best = found;
      latest = epoch;
    }
  }
  EXPECT_EQ(fit(true).epoch, latest);
  EXPECT_LT(fit(false).epoch, latest) << "the case is to have equal epochs";
  EXPECT_EQ(fit(true).val_accuracy, fit(false).val_accuracy);
}

TEST(SoftmaxProbe, StartsXavierUniformByTheSeed) {
  const GoldenData data = overlapping_classes();
  const Context context;
  const auto start = [&](std::uint64_t seed, std::uint64_t item) {
    return fit_softmax_probe(context, data.train_rows(), {},
                             {.epochs = 0, .seed = seed, .item = item})
        .model;
  };
  const LinearModel model = start(1, 2);
  const double bound = std::sqrt(6.0 / (32 + 7));
  double squares = 0;
  double largest = 0;
  for (const double w : model.weights) {
    squares += w * w;
    largest = std::max(largest, std::abs(w));
  }
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.9 * bound);
  EXPECT_NEAR(squares / static_cast<double>(model.weights.size()), bound * bound / 3,
              0.15 * bound * bound / 3);
  for (const double b : model.intercepts) EXPECT_EQ(b, 0);
  EXPECT_EQ(start(1, 2).weights, model.weights);
  EXPECT_NE(start(1, 3).weights, model.weights);
  EXPECT_NE(start(2, 2).weights, model.weights);
}

TEST(SoftmaxProbe, TwoClassesHaveOneOutputAndOneClassIsAConstant) {
  const Context context;
  const GoldenData data = golden_data(test::logistic_golden()["multinomial"][4]);
  const ProbeFit fit = fit_softmax_probe(context, data.train_rows(), data.test, {.epochs = 400});
  EXPECT_EQ(fit.model.outputs(), 1);
  EXPECT_GT(fit.val_accuracy.value(), 0.95);
  EXPECT_EQ(fit.val_accuracy,
            accuracy(context, fit.model,
                     {.values = data.values, .rows = data.test, .labels = data.labels}));

  const std::vector<std::int32_t> same(data.labels.size(), 6);
  const ProbeFit constant = fit_softmax_probe(
      context, {.values = data.values, .rows = data.train, .labels = same}, data.test);
  EXPECT_EQ(constant.model.outputs(), 0);
  EXPECT_EQ(constant.val_accuracy, 1.0);
}

TEST(SoftmaxProbe, ALabelThatTrainingNeverMetIsNeverRight) {
  const Context context;
  const DenseMatrix values{.rows = 4, .cols = 1, .values = std::vector<float>{-1, 1, -1, 1}};
  const std::vector<std::int32_t> labels = {0, 1, 0, 2};
  const std::vector<std::int32_t> train = {0, 1};
  const std::vector<std::int32_t> val = {2, 3};
  const ProbeFit fit = fit_softmax_probe(
      context, {.values = values, .rows = train, .labels = labels}, val, {.epochs = 300});
  EXPECT_EQ(fit.val_accuracy, 0.5);
}

}  // namespace
}  // namespace creg::softmax_probe_test
