// One logistic regression per class against all others, with the objective of liblinear: the
// intercept is penalised like a weight.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "creg/core/context.h"
#include "learn/linear_model.h"

namespace creg {

struct OneVsRestOptions {
  double c = 1;  ///< weight of the losses against the penalty
  /// A class is done when its gradient is below tolerance * max(1, its rarer side) / rows of that
  /// at zero: liblinear's rule.
  double tolerance = 1e-4;
  int max_iterations = 100;
  std::function<void()> each_iteration;  ///< called after every Newton step; may throw to stop
};

/// For every class minimises  |w|^2 / 2 + c * sum of log(1 + exp(-y w.x))  over w, x being the row
/// with a 1 appended and y = 1 for that class, -1 for the others. Two classes have one such
/// problem. By Newton's method, its steps by conjugate gradients, all classes in one pass. Bad
/// input as in fit_logistic_regression; the result does not depend on the number of threads.
LinearModel fit_one_vs_rest(const Context& context, const LabelledRows& data,
                            const OneVsRestOptions& options = {});

struct OneVsRestSearch {
  std::vector<double> candidates = powers_of_two(-10, 9);  ///< values of c, ascending
  int folds = 5;
  double tolerance = 1e-4;
  std::function<void()> each_fit;  ///< called fits() times; may throw to stop

  /// Every candidate for every fold, and the best one for all rows.
  std::int64_t fits() const { return folds * static_cast<std::int64_t>(candidates.size()) + 1; }

  static std::vector<double> powers_of_two(int first, int last);
};

struct OneVsRestChoice {
  LinearModel model;  ///< fitted to all rows with the best c
  double c = 0;
  std::vector<double> cross_accuracy;  ///< per candidate: the mean over the folds
};

/// The c of the highest mean accuracy over stratified folds, the smallest of equal ones, and the
/// model it gives. Fewer rows of every class than folds are an input error.
OneVsRestChoice choose_one_vs_rest(const Context& context, const LabelledRows& data,
                                   const OneVsRestSearch& search = {});

/// The fold of each row, by class in turn and in the order of the rows, without shuffling:
/// scikit-learn's StratifiedKFold.
std::vector<int> stratified_folds(const std::vector<std::int32_t>& targets, int folds);

}  // namespace creg
