// The strongest singular vectors of a matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "learn/symmetric_eigen.h"

namespace creg {

struct TruncatedSvd {
  std::int64_t components = 0;
  std::vector<double> values;  ///< the strongest first
  std::vector<double> left;    ///< rows x components, row-major; columns of length 1
  std::vector<double> right;   ///< cols x components, row-major; orthonormal columns
};

/// The `components` largest singular values and their vectors; the rows are not centred. The entry
/// of largest magnitude of each right vector is positive. A singular value that is 0 up to rounding
/// has a left vector of zeros. More components than rows or columns, or none, and numbers that are
/// not finite are input errors.
///
/// By block Krylov spaces of transpose(X) X in double, from random vectors, until each residual is
/// below 1e-9 of its eigenvalue: every step reads the matrix once, and memory beside it is that of
/// a few hundred right vectors; the solver is given their products, as many rows and columns. The
/// result does not depend on the number of threads.
TruncatedSvd truncated_svd(const Context& context, const DenseMatrix& values,
                           std::int64_t components, const learn::EigenSolver& solver);

}  // namespace creg
