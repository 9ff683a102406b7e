// Minimisation of a smooth function of many variables by L-BFGS, with the stopping rules and the
// line search of the common Fortran code, so that runs stopped early agree with it too.
#pragma once

#include <functional>
#include <span>

namespace creg {

struct LbfgsOptions {
  int max_iterations = 150;
  int memory = 10;                   ///< steps that shape the next direction
  double gradient_tolerance = 1e-4;  ///< done when no derivative is larger than this
  /// done when an iteration lowers f by no more than this times max(|before|, |after|, 1)
  double decrease_tolerance = 2.2204460492503131e-9;
  int max_line_search = 20;              ///< evaluations along one direction
  std::function<void()> each_iteration;  ///< called after every iteration; may throw to stop
};

enum class LbfgsEnd { gradient, decrease, iterations, line_search };

struct LbfgsResult {
  double value = 0;
  double largest_gradient = 0;
  int iterations = 0;
  int evaluations = 0;
  LbfgsEnd end = LbfgsEnd::gradient;
};

/// f(x), and its derivatives into `gradient`.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// Moves `x` to a minimum of `objective`, from where it is.
LbfgsResult minimise_lbfgs(const Objective& objective, std::span<double> x,
                           const LbfgsOptions& options = {});

}  // namespace creg
