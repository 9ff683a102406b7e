#include "calibration/classifier_calibration.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/ordered_sum.h"
#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "learn/logistic_regression.h"
#include "tasks/embedding_rows.h"

namespace creg {
namespace {

using calibration::ordered_sum;

constexpr std::int64_t grain = 1024;

void check_targets(const ClassTable& scores, std::span<const std::int32_t> targets) {
  invariant(scores.classes >= 1 && scores.rows == static_cast<std::int64_t>(targets.size()),
            "a target per row of scores");
  for (const std::int32_t target : targets) {
    invariant(target >= unseen_class && target < scores.classes, "a target is a class");
  }
}

struct Outcome {
  double confidence = 0;
  double loss = 0;
  bool right = false;
};

Outcome outcome(std::span<const double> scores, std::int32_t target, double inverse) {
  const auto best = std::max_element(scores.begin(), scores.end());
  double sum = 0;  // at least 1: the term of the best
  for (const double score : scores) sum += std::exp(inverse * (score - *best));
  Outcome out{.confidence = 1 / sum, .loss = -std::log(unseen_chance)};
  if (target != unseen_class) {
    out.loss = std::log(sum) + inverse * (*best - scores[static_cast<std::size_t>(target)]);
    out.right = best - scores.begin() == target;
  }
  return out;
}

/// Of the loss by the inverse temperature.
struct Derivatives {
  double first = 0;
  double second = 0;
  Derivatives& operator+=(const Derivatives& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// d/da of log sum exp(a z) - a z_t is the mean of z by the chances less z_t; their variance is
/// the second derivative. Scores are taken from the best one, so that what a right row gives has
/// the sign it should have, however small it is.
Derivatives derivatives(std::span<const double> scores, std::int32_t target, double inverse) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  double first = 0;
  double second = 0;
  for (const double score : scores) {
    const double z = score - top;
    const double chance = std::exp(inverse * z);
    sum += chance;
    first += chance * z;
    second += chance * z * z;
  }
  const double mean = first / sum;
  return {mean - (scores[static_cast<std::size_t>(target)] - top),
          std::max(0.0, second / sum - mean * mean)};
}

Derivatives loss_derivatives(const Context& context, const ClassTable& scores,
                             std::span<const std::int32_t> targets, double inverse) {
  return ordered_sum<Derivatives>(
      context, scores.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        Derivatives sum;
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int32_t target = targets[static_cast<std::size_t>(i)];
          if (target != unseen_class) sum += derivatives(scores.row(i), target, inverse);
        }
        return sum;
      });
}

std::vector<std::int32_t> targets_of(const LinearModel& model, const Graph& graph,
                                     std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> targets;
  targets.reserve(nodes.size());
  for (const std::int32_t node : nodes) {
    const std::int32_t label = graph.labels[node];
    const auto place = std::lower_bound(model.classes.begin(), model.classes.end(), label);
    const bool seen = place != model.classes.end() && *place == label;
    targets.push_back(seen ? static_cast<std::int32_t>(place - model.classes.begin())
                           : unseen_class);
  }
  return targets;
}

}  // namespace

ConfidenceFigures confidence_figures(const Context& context, const ClassTable& scores,
                                     std::span<const std::int32_t> targets, double temperature,
                                     int bins) {
  check_targets(scores, targets);
  invariant(scores.rows >= 1 && temperature > 0, "there are rows, and a temperature above 0");
  std::vector<Forecast> forecasts(targets.size());
  std::vector<double> losses(targets.size());
  parallel_for(context, 0, scores.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const Outcome one = outcome(scores.row(i), targets[place], 1 / temperature);
      forecasts[place] = {.chance = one.confidence, .came_true = one.right};
      losses[place] = one.loss;
    }
  });
  ConfidenceFigures out{.nodes = scores.rows};
  out.unseen = std::count(targets.begin(), targets.end(), unseen_class);
  const auto nodes = static_cast<double>(scores.rows);
  std::int64_t right = 0;
  for (const Forecast& forecast : forecasts) {
    if (forecast.came_true) ++right;
    out.mean_confidence += forecast.chance;
  }
  out.accuracy = static_cast<double>(right) / nodes;
  out.mean_confidence /= nodes;
  for (const double loss : losses) out.nll += loss;
  out.nll /= nodes;
  out.brier = brier_score(forecasts);
  out.bins = reliability_bins(forecasts, bins, Binning::equal_width);
  out.equal_mass_bins = reliability_bins(forecasts, bins, Binning::equal_mass);
  out.ece = expected_gap(out.bins);
  out.ece_equal_mass = expected_gap(out.equal_mass_bins);
  out.mce = largest_gap(out.bins);
  return out;
}

TemperatureFit fit_temperature(const Context& context, const ClassTable& scores,
                               std::span<const std::int32_t> targets) {
  check_targets(scores, targets);
  const auto at = [&](double inverse) {
    return loss_derivatives(context, scores, targets, inverse);
  };
  double low = 1 / largest_temperature;
  double high = 1 / least_temperature;
  double inverse = 1;
  Derivatives here = at(inverse);
  if (here.first == 0) return {};
  if (here.first > 0 && at(low).first >= 0) return {largest_temperature, true};
  if (here.first < 0 && at(high).first <= 0) return {least_temperature, true};
  // Newton, kept between places where the loss falls and where it rises. Every third step halves
  // that range by ratio, whatever Newton says, so that flat stretches cannot hold it up.
  constexpr int most_steps = 100;
  constexpr double precision = 1e-12;
  for (int step = 1; step <= most_steps && here.first != 0; ++step) {
    context.throw_if_stopped();
    (here.first > 0 ? high : low) = inverse;
    double next = inverse - here.first / here.second;
    const bool between = next > low && next < high;  // what is no number is not
    if (step % 3 == 0 || !between) next = std::sqrt(low * high);
    const bool close = std::abs(next - inverse) <= precision * inverse;
    inverse = next;
    if (close || high - low <= precision * low) break;
    here = at(inverse);
  }
  return {1 / inverse, false};
}

ClassifierCalibration classifier_calibration(const Context& context, const Graph& graph,
                                             const DenseMatrix& embedding, const Split& split,
                                             int bins) {
  tasks::check_embedding(graph, embedding, "the calibration of a classifier");
  tasks::check_split(graph, split);
  if (bins < 1) {
    fail_input({.what = "there is no bin to put forecasts in",
                .found = std::to_string(bins),
                .expected = "1 or more"});
  }
  ProgressTask progress(context, "fitting the classifier", LogisticOptions{}.max_iterations);
  const LinearModel model =
      fit_logistic_regression(context,
                              {.values = embedding, .rows = split.train, .labels = graph.labels},
                              {.each_iteration = [&] { progress.advance(); }})
          .model;
  progress.finish_early();

  ClassifierCalibration out{.train = split.train.size(),
                            .classes = static_cast<std::int64_t>(model.classes.size())};
  const ClassTable test_scores = class_scores(context, model, embedding, split.test);
  const std::vector<std::int32_t> test_targets = targets_of(model, graph, split.test);
  out.test = confidence_figures(context, test_scores, test_targets, 1, bins);
  if (split.val.empty()) {
    out.no_after = "the split has no val nodes to choose a temperature by";
    return out;
  }
  const ClassTable val_scores = class_scores(context, model, embedding, split.val);
  const std::vector<std::int32_t> val_targets = targets_of(model, graph, split.val);
  out.val = confidence_figures(context, val_scores, val_targets, 1, bins);
  if (out.val->unseen == out.val->nodes) {
    out.no_after = "no val node has a class that the train nodes have";
    return out;
  }
  TemperatureFit fit = fit_temperature(context, val_scores, val_targets);
  ConfidenceFigures scaled =
      confidence_figures(context, val_scores, val_targets, fit.temperature, bins);
  if (scaled.nll > out.val->nll) {  // by rounding only: the loss is flat there
    fit = {};
    scaled = *out.val;
  }
  out.after = ScaledCalibration{
      .fit = fit,
      .test = confidence_figures(context, test_scores, test_targets, fit.temperature, bins),
      .val = scaled};
  return out;
}

}  // namespace creg
