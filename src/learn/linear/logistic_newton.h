// Several penalised logistic regressions on the same rows at once, one per column.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "creg/core/context.h"
#include "learn/linear/class_targets.h"
#include "learn/linear_model.h"
#include "learn/row_blocks.h"

namespace creg::learn {

/// Solves for one c after the other; each solution is the start of the next.
class LogisticNewton {
 public:
  /// All arguments must outlive this object.
  LogisticNewton(const Context& context, const DenseMatrix& values,
                 std::span<const std::int32_t> rows, const ClassTargets& classes);

  void solve(double c, double tolerance, int max_iterations,
             const std::function<void()>& each_iteration);
  LinearModel model() const;

 private:
  using Columns = std::vector<double>;  // one number per column

  void evaluate();
  void find_step(const std::vector<char>& active);
  Columns search_along(const std::vector<char>& active);
  Columns dots(const AlignedVector& a, const AlignedVector& b) const;
  void add_columns(const Columns& factors, const AlignedVector& from, AlignedVector& to) const;

  const Context& context_;
  const ClassTargets& classes_;
  RowBlocks blocks_;
  std::int32_t first_class_;  // the class of column 0
  double c_ = 1;
  Columns rarer_side_;           // per column: rows of its smaller side
  Columns start_gradient_norm_;  // at zero, for c = 1
  AlignedVector x_;
  AlignedVector gradient_;
  AlignedVector step_;
  AlignedVector scores_;
  AlignedVector curvature_;
  AlignedVector step_scores_;
  Columns values_;  // of the objective
  std::vector<double> chunk_losses_;
  // Of the conjugate gradients.
  AlignedVector residual_;
  AlignedVector direction_;
  AlignedVector product_;
};

}  // namespace creg::learn
