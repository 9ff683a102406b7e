#include "learn/link_predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "learn/link/pair_model.h"
#include "learn/ranking_metrics.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::link_predictor_test {
namespace {

using learn::AlignedVector;
using learn::PairList;
using test::Edges;
using Ids = std::vector<std::int32_t>;
using Pairs = std::vector<NodePair>;

DenseMatrix random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 3) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// The logit by its formula, in double.
double logit(const DenseMatrix& rows, const AlignedVector& x, std::int64_t hidden, std::int32_t u,
             std::int32_t v) {
  const std::int64_t d = rows.cols;
  const auto product = [&](std::int64_t k) {
    return static_cast<double>(rows.values[u * d + k]) * rows.values[v * d + k];
  };
  const auto weight = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  if (hidden == 0) {
    double sum = weight(d);
    for (std::int64_t k = 0; k < d; ++k) sum += weight(k) * product(k);
    return sum;
  }
  double sum = x.back();
  for (std::int64_t h = 0; h < hidden; ++h) {
    double unit = weight(d * hidden + h);
    for (std::int64_t k = 0; k < d; ++k) unit += weight(k * hidden + h) * product(k);
    sum += weight((d + 1) * hidden + h) * std::max(unit, 0.0);
  }
  return sum;
}

double mean_loss(const DenseMatrix& rows, const AlignedVector& x, std::int64_t hidden,
                 const PairList& pairs, std::int64_t positives) {
  double sum = 0;
  for (std::int64_t i = 0; i < pairs.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double score = logit(rows, x, hidden, pairs.from[at], pairs.to[at]);
    sum += softplus(i < positives ? -score : score);
  }
  return sum / static_cast<double>(pairs.size());
}

/// Hidden units; 0 is the linear model.
std::shared_ptr<learn::PairModel> make_model([[maybe_unused]] const Context& context,
                                             const DenseMatrix& rows, std::int64_t hidden) {
#ifdef CREG_HAS_TORCH
  if (hidden > 0) return learn::make_mlp_model(context, rows, hidden);
#endif
  invariant(hidden == 0, "libtorch makes hidden layers, and this build is without it");
  return learn::make_linear_model(rows);
}

class PairModels : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(PairModels, LossAndGradientAreThoseOfTheFormula) {
  const std::int64_t hidden = GetParam();
  const Context context({.threads = 2});
  for (const std::int64_t width : {1, 7, 35}) {
    const DenseMatrix rows = random_rows(40, width);
    const auto model = make_model(context, rows, hidden);
    RandomStream stream(8, Purpose::test);
    for (double& weight : model->weights()) weight = 0.5 * stream.normal();
    model->weights_changed();
    Ids from;
    Ids to;
    for (int i = 0; i < 1100; ++i) {  // several chunks, the last one not full
      from.push_back(static_cast<std::int32_t>(stream.below(40)));
      to.push_back(static_cast<std::int32_t>(stream.below(40)));
    }
    const PairList pairs{from, to};
    std::vector<float> scores(from.size());
    model->scores(context, pairs, scores);
    AlignedVector x = model->weights();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      ASSERT_NEAR(scores[i], logit(rows, x, hidden, from[i], to[i]), 1e-4);
    }
    AlignedVector gradient;
    const double loss = model->loss(context, pairs, 300, gradient);
    EXPECT_NEAR(loss, mean_loss(rows, x, hidden, pairs, 300), 1e-5);
    ASSERT_EQ(gradient.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      constexpr double step = 1e-6;
      const double kept = x[i];
      x[i] = kept + step;
      const double above = mean_loss(rows, x, hidden, pairs, 300);
      x[i] = kept - step;
      const double below = mean_loss(rows, x, hidden, pairs, 300);
      x[i] = kept;
      ASSERT_NEAR(gradient[i], (above - below) / (2 * step), 2e-4) << "weight " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Linear, PairModels, ::testing::Values(0));
#ifdef CREG_HAS_TORCH
INSTANTIATE_TEST_SUITE_P(Mlp, PairModels, ::testing::Values(5));
#endif

/// Edges between nodes whose rows are alike, a few of them and as many non-edges held out.
struct Problem {
  DenseMatrix rows = random_rows(60, 6);
  CsrMatrix training;
  Pairs val;
  Pairs val_non_edges;

  Problem() {
    Edges edges;
    for (std::int32_t u = 0; u < 60; ++u) {
      for (std::int32_t v = u + 1; v < 60; ++v) {
        double dot = 0;
        for (std::size_t k = 0; k < 3; ++k) dot += rows.row(u)[k] * rows.row(v)[k];
        if (dot < 1.2 || (u + v) % 7 == 0) {
          if ((u * 3 + v) % 11 == 0) val_non_edges.push_back({u, v});
        } else if ((u * 5 + v) % 4 == 0) {
          val.push_back({u, v});
        } else {
          edges.emplace_back(u, v);
        }
      }
    }
    training = test::csr(60, edges);
  }
  NonEdgeSampler sampler() const { return {Context(), training, "made up"}; }
  LinkPredictor fit(const PredictorOptions& options, int threads = 1) const {
    return fit_link_predictor(Context({.threads = threads}), rows, sampler(), val, val_non_edges,
                              options);
  }
};

/// The whole fit again, plainly and in double: same draws, Adam by its formulas.
TEST(LinkPredictor, IsLogisticRegressionByAdamChosenOnValidation) {
  const Problem problem;
  const NonEdgeSampler sampler = problem.sampler();
  constexpr int epochs = 60;
  constexpr std::size_t weights = 7;
  AlignedVector x(weights);
  RandomStream stream(4, Purpose::link_weights);
  for (double& w : x) w = (2 * stream.uniform_double() - 1) / std::sqrt(6.0);
  Ids from;
  Ids to;
  for (const auto& [u, v] : test::entries(sampler.edges())) {
    if (u < v) {
      from.push_back(u);
      to.push_back(v);
    }
  }
  const std::size_t edges = from.size();
  from.resize(2 * edges);
  to.resize(2 * edges);
  std::vector<double> mean(weights, 0);
  std::vector<double> square(weights, 0);
  double best_auc = -1;
  int best_epoch = 0;
  AlignedVector best;
  const auto scores = [&](const Pairs& pairs) {
    std::vector<float> out;
    for (const auto& [u, v] : pairs) {
      out.push_back(static_cast<float>(logit(problem.rows, x, 0, u, v)));
    }
    return out;
  };
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    sampler.draw(Context(), 4, Purpose::link_non_edges, static_cast<std::uint32_t>(epoch), 0,
                 std::span(from).subspan(edges), std::span(to).subspan(edges));
    std::vector<double> gradient(weights, 0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double score = logit(problem.rows, x, 0, from[i], to[i]);
      const double residual = 1 / (1 + std::exp(-score)) - (i < edges ? 1 : 0);
      for (std::size_t k = 0; k < 6; ++k) {
        gradient[k] += residual * problem.rows.row(from[i])[k] * problem.rows.row(to[i])[k];
      }
      gradient[6] += residual;
    }
    for (std::size_t k = 0; k < weights; ++k) {
      const double g = gradient[k] / static_cast<double>(from.size());
      mean[k] = 0.9 * mean[k] + 0.1 * g;
      square[k] = 0.999 * square[k] + 0.001 * g * g;
      x[k] -= 0.05 * (mean[k] / (1 - std::pow(0.9, epoch))) /
              (std::sqrt(square[k] / (1 - std::pow(0.999, epoch))) + 1e-8);
    }
    const double auc = rank_scores(scores(problem.val), scores(problem.val_non_edges)).auc;
    if (auc > best_auc) {
      best_auc = auc;
      best_epoch = epoch;
      best = x;
    }
  }
  const LinkPredictor fitted =
      problem.fit({.learning_rate = 0.05, .epochs = epochs, .patience = 0, .seed = 4});
  EXPECT_EQ(fitted.epoch(), best_epoch);
  EXPECT_NEAR(fitted.val_auc(), best_auc, 1e-12);
  EXPECT_GT(best_auc, 0.85);
  x = best;
  const std::vector<float> wanted = scores(problem.val);
  const std::vector<float> found = fitted.scores(Context(), problem.val);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-4);
}

TEST(LinkPredictor, DoesNotDependOnThreadsButOnTheSeed) {
  const Problem problem;
  const PredictorOptions options{.epochs = 20, .patience = 0};
  const auto scores = [&](const LinkPredictor& fit) { return fit.scores(Context(), problem.val); };
  const std::vector<float> one = scores(problem.fit(options));
  EXPECT_EQ(one, scores(problem.fit(options, 3)));
  EXPECT_NE(one, scores(problem.fit({.epochs = 20, .patience = 0, .seed = 1})));
}

TEST(LinkPredictor, PatienceStopsAndTheBestEpochCounts) {
  const Problem problem;
  int epochs = 0;
  const LinkPredictor fitted = problem.fit(
      {.learning_rate = 0.3, .epochs = 500, .patience = 7, .each_epoch = [&] { ++epochs; }});
  EXPECT_LT(epochs, 500);
  EXPECT_EQ(epochs, fitted.epoch() + 7);
  // The same weights as of a fit that ends there.
  const LinkPredictor shorter =
      problem.fit({.learning_rate = 0.3, .epochs = fitted.epoch(), .patience = 0});
  EXPECT_EQ(shorter.scores(Context(), problem.val), fitted.scores(Context(), problem.val));
}

#ifdef CREG_HAS_TORCH
/// Edges join nodes of value +-1, the others are 0: the product does not rank them, its size does.
TEST(LinkPredictor, AHiddenLayerSeesWhatTheLinearModelCannot) {
  Edges edges;
  Pairs val;
  Pairs val_non_edges;
  std::vector<float> values;
  for (std::int32_t u = 0; u < 40; ++u) {
    values.push_back(u >= 20 ? 0.0F : u % 2 == 0 ? 1.0F : -1.0F);
    for (std::int32_t v = u + 1; v < 20; ++v) {
      if ((u + 3 * v) % 5 == 0) {
        val.push_back({u, v});
      } else {
        edges.emplace_back(u, v);
      }
    }
    if (u < 20) val_non_edges.push_back({u, u + 20});
  }
  const DenseMatrix rows{.rows = 40, .cols = 1, .values = std::move(values)};
  const NonEdgeSampler sampler(Context(), test::csr(40, edges), "made up");
  const auto auc = [&](PredictorKind kind) {
    return fit_link_predictor(Context({.threads = 1}), rows, sampler, val, val_non_edges,
                              {.kind = kind, .epochs = 150, .hidden = 8}, learn::make_mlp_model)
        .val_auc();
  };
  EXPECT_LT(auc(PredictorKind::linear), 0.65);
  EXPECT_GT(auc(PredictorKind::mlp), 0.99);
}
#endif

TEST(LinkPredictor, AnMlpNeedsItsMaker) {
  EXPECT_THROW(Problem().fit({.kind = PredictorKind::mlp}), Bug);
}

TEST(LinkPredictor, ManyEdgesMakeSeveralStepsAnEpoch) {
  const DenseMatrix rows = random_rows(90, 4);
  Edges edges;
  Pairs val;
  Pairs val_non_edges;
  for (std::int32_t u = 0; u < 90; ++u) {
    for (std::int32_t v = u + 1; v < 90; ++v) {
      const bool alike = rows.row(u)[0] * rows.row(v)[0] > 0;
      Pairs& held_out = alike ? val : val_non_edges;
      if ((u + v) % 10 == 0) {
        held_out.push_back({u, v});
      } else if (alike) {
        edges.emplace_back(u, v);
      }
    }
  }
  const NonEdgeSampler sampler(Context(), test::csr(90, edges), "made up");
  ASSERT_GT(edges.size(), 1500U);
  const auto fit = [&](std::int64_t batch, int threads) {
    return fit_link_predictor(Context({.threads = threads}), rows, sampler, val, val_non_edges,
                              {.epochs = 4, .patience = 0, .batch = batch});
  };
  const std::vector<float> batched = fit(1024, 1).scores(Context(), val);
  EXPECT_EQ(batched, fit(1024, 2).scores(Context(), val));
  EXPECT_NE(batched, fit(2048 * 4, 1).scores(Context(), val));
  EXPECT_THROW(fit(1000, 1), Bug);
}

TEST(LinkPredictor, NeedsEdgesAndBothClasses) {
  const Problem problem;
  const NonEdgeSampler lonely(Context(), test::csr(60, {}), "lonely");
  test::expect_error(
      [&] {
        fit_link_predictor(Context(), problem.rows, lonely, problem.val, problem.val_non_edges);
      },
      {"no edges"});
  test::expect_error(
      [&] { fit_link_predictor(Context(), problem.rows, problem.sampler(), problem.val, {}); },
      {"one class only"});
}

}  // namespace
}  // namespace creg::link_predictor_test
