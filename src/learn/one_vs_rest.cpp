#include "learn/one_vs_rest.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "learn/linear/class_targets.h"
#include "learn/linear/logistic_newton.h"

namespace creg {
namespace {

constexpr int newton_steps = 100;

// Accuracy on the rows of one fold of models fitted to all others, one per candidate.
std::vector<double> fold_accuracies(const Context& context, const LabelledRows& data,
                                    const std::vector<int>& fold_of, int fold,
                                    const OneVsRestSearch& search) {
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> held_out;
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    (fold_of[i] == fold ? held_out : train).push_back(data.rows[i]);
  }
  const LabelledRows test{.values = data.values, .rows = held_out, .labels = data.labels};
  learn::ClassTargets classes =
      learn::class_targets({.values = data.values, .rows = train, .labels = data.labels});
  std::vector<double> found;
  if (classes.outputs() == 0) {
    const LinearModel constant{.classes = classes.classes, .features = data.values.cols};
    found.assign(search.candidates.size(), accuracy(context, constant, test));
    for (std::size_t i = 0; search.each_fit && i < found.size(); ++i) search.each_fit();
    return found;
  }
  learn::LogisticNewton newton(context, data.values, train, classes);
  for (const double c : search.candidates) {
    newton.solve(c, search.tolerance, newton_steps, {});
    found.push_back(accuracy(context, newton.model(), test));
    if (search.each_fit) search.each_fit();
  }
  return found;
}

}  // namespace

LinearModel fit_one_vs_rest(const Context& context, const LabelledRows& data,
                            const OneVsRestOptions& options) {
  if (!(options.c > 0)) {
    fail_input({.what = "the weight of the losses is not positive",
                .found = std::to_string(options.c),
                .expected = "a number above 0"});
  }
  const learn::ClassTargets classes = learn::class_targets(data);
  if (classes.outputs() == 0) return {.classes = classes.classes, .features = data.values.cols};
  learn::LogisticNewton newton(context, data.values, data.rows, classes);
  newton.solve(options.c, options.tolerance, options.max_iterations, options.each_iteration);
  return newton.model();
}

std::vector<double> OneVsRestSearch::powers_of_two(int first, int last) {
  std::vector<double> powers;
  for (int exponent = first; exponent <= last; ++exponent) powers.push_back(std::exp2(exponent));
  return powers;
}

std::vector<int> stratified_folds(const std::vector<std::int32_t>& targets, int folds) {
  invariant(folds >= 2, "there are at least two folds");
  // Classes count in the order in which they are first met.
  std::vector<std::int32_t> order;
  std::vector<std::size_t> encoded;
  for (const std::int32_t target : targets) {
    const auto place = std::find(order.begin(), order.end(), target);
    encoded.push_back(static_cast<std::size_t>(place - order.begin()));
    if (place == order.end()) order.push_back(target);
  }
  // Dealing the sorted classes round says how many rows of each class a fold gets.
  std::vector<std::size_t> sorted = encoded;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<std::size_t>(folds);
  std::vector<std::vector<int>> share(order.size(), std::vector<int>(count, 0));
  for (std::size_t i = 0; i < sorted.size(); ++i) ++share[sorted[i]][i % count];

  std::vector<int> fold_of;
  std::vector<int> current(order.size(), 0);
  for (const std::size_t c : encoded) {
    while (share[c][static_cast<std::size_t>(current[c])] == 0) ++current[c];
    --share[c][static_cast<std::size_t>(current[c])];
    fold_of.push_back(current[c]);
  }
  return fold_of;
}

OneVsRestChoice choose_one_vs_rest(const Context& context, const LabelledRows& data,
                                   const OneVsRestSearch& search) {
  invariant(!search.candidates.empty() && search.candidates.front() > 0 &&
                std::is_sorted(search.candidates.begin(), search.candidates.end()),
            "candidates are positive and ascend");
  const learn::ClassTargets classes = learn::class_targets(data);
  std::vector<std::int64_t> counts(classes.classes.size(), 0);
  for (const std::int32_t target : classes.targets) ++counts[static_cast<std::size_t>(target)];
  const std::int64_t largest = *std::max_element(counts.begin(), counts.end());
  if (largest < search.folds) {
    fail_input({.what = "too few rows to choose by cross validation",
                .found = "at most " + std::to_string(largest) + " rows of a class to learn from",
                .expected = "at least " + std::to_string(search.folds) + ", one per fold",
                .hint = "take a larger training part, or another protocol"});
  }
  const std::vector<int> fold_of = stratified_folds(classes.targets, search.folds);
  std::vector<std::vector<double>> by_fold(static_cast<std::size_t>(search.folds));
  parallel_tasks(context, search.folds, [&](std::int64_t fold) {
    by_fold[static_cast<std::size_t>(fold)] =
        fold_accuracies(context, data, fold_of, static_cast<int>(fold), search);
  });

  OneVsRestChoice choice;
  double best = -1;
  for (std::size_t i = 0; i < search.candidates.size(); ++i) {
    double sum = 0;
    for (const std::vector<double>& fold : by_fold) sum += fold[i];
    choice.cross_accuracy.push_back(sum / search.folds);
    if (choice.cross_accuracy.back() <= best) continue;
    best = choice.cross_accuracy.back();
    choice.c = search.candidates[i];
  }
  choice.model = fit_one_vs_rest(context, data, {.c = choice.c, .tolerance = search.tolerance});
  if (search.each_fit) search.each_fit();
  return choice;
}

}  // namespace creg
