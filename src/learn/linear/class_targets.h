// Labels as the numbers of the classes met.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/rows.h"
#include "learn/linear_model.h"

namespace creg::learn {

struct ClassTargets {
  std::vector<std::int32_t> classes;  ///< ascending
  std::vector<std::int32_t> targets;  ///< per row: the position of its label in `classes`

  /// One output for two classes, none for one.
  std::int64_t outputs() const;
};

/// Checks the rows and their labels: no row, a row outside the matrix, a value that is not finite
/// and a missing label are input errors.
ClassTargets class_targets(const LabelledRows& data);

/// Coefficients as RowBlocks has them, as a model. `cols` columns per feature.
LinearModel to_model(std::vector<std::int32_t> classes, std::int64_t features, std::int64_t outputs,
                     std::int64_t cols, const double* coefficients);

/// The other way round, padded with zeros.
AlignedVector from_model(const LinearModel& model);

}  // namespace creg::learn
