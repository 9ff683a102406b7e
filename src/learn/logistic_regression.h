// Logistic regression by L-BFGS with scikit-learn's objective and stopping rule: with the default
// options the same model as LogisticRegression(max_iter=150).
#pragma once

#include <functional>

#include "creg/core/context.h"
#include "learn/linear/lbfgs.h"
#include "learn/linear_model.h"

namespace creg {

struct LogisticOptions {
  double c = 1;  ///< inverse strength of the penalty
  int max_iterations = 150;
  double tolerance = 1e-4;               ///< on the largest derivative
  std::function<void()> each_iteration;  ///< called after every iteration; may throw to stop
};

struct LogisticFit {
  LinearModel model;
  LbfgsResult result;
};

/// Minimises  sum of -log p(label | row)  +  |weights|^2 / (2 c)  from zero. p is the softmax of
/// the scores for three or more classes, the logistic function of one score for two. Intercepts
/// are free. Classes are those met in `data`; with one class the model is that constant. No row,
/// a value that is not finite and a missing label are input errors. The result does not depend on
/// the number of threads; several fits may run side by side.
LogisticFit fit_logistic_regression(const Context& context, const LabelledRows& data,
                                    const LogisticOptions& options = {});

struct LogisticObjective {
  double value = 0;
  LinearModel gradient;  ///< in the places of the weights and intercepts
};

/// The objective of fit_logistic_regression at `model`, which must have the classes of `data`.
LogisticObjective logistic_objective(const Context& context, const LabelledRows& data,
                                     const LinearModel& model, double c = 1);

}  // namespace creg
