// t-SNE: rows as points of a plane, near ones near each other.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "learn/symmetric_eigen.h"

namespace creg {

struct TsneOptions {
  /// About how many neighbours count for a row; lowered where there are not three times as many.
  double perplexity = 30;
  int iterations = 1000;
  double theta = 0.5;            ///< of Barnes and Hut: 0 compares all points, 1 is coarse
  std::int64_t dimensions = 50;  ///< rows of more are reduced to their principal components
};

/// A point, x and y, per row. By the gradient descent that scikit-learn has (early exaggeration
/// 12 for a quarter of the iterations, the learning rate from the number of rows, momentum), from
/// the first two principal components, so no seed is needed: equal rows are one point. The solver
/// is asked for the components. Fewer than two rows are where they are; numbers that are not finite
/// are input errors. The result does not depend on the number of threads.
std::vector<float> tsne(const Context& context, const DenseMatrix& values,
                        const learn::EigenSolver& solver, const TsneOptions& options = {});

}  // namespace creg
