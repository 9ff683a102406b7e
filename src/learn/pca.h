// Principal components: the directions in which rows differ most, and how many these are.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "learn/symmetric_eigen.h"

namespace creg {

struct Pca {
  std::int64_t components = 0;
  std::int64_t cols = 0;
  std::vector<double> mean;      ///< of the rows
  std::vector<double> axes;      ///< components x cols, orthonormal, the strongest first
  std::vector<double> variance;  ///< of the rows along each axis, divided by rows - 1
  double total_variance = 0;     ///< along all axes there are
};

/// The strongest axes of the centred rows; the entry of largest magnitude of each is positive.
/// More components than rows or columns, or none, and numbers that are not finite are input errors.
/// Computed in double from the cols x cols covariance, whose eigenvectors are the solver's: memory
/// does not grow with the rows. The result does not depend on the number of threads.
Pca fit_pca(const Context& context, const DenseMatrix& values, std::int64_t components,
            const learn::EigenSolver& solver);

/// Rows x components: each row less the mean, along the axes; not whitened.
DenseMatrix project(const Context& context, const Pca& pca, const DenseMatrix& values);

/// How rows lie around their mean.
struct Spread {
  std::vector<double> mean;
  double distance = 0;  ///< from the mean: the root of the mean of its squares
  /// Over how many directions that is: V² / V₂, for the sum V of the variances along all axes and
  /// V₂ of their squares. 1 where all rows lie on a line, 0 where all are equal.
  double directions = 0;
};

/// Of rows without numbers that are not finite, in memory and time as above.
Spread spread_of(const Context& context, const DenseMatrix& values);

}  // namespace creg
