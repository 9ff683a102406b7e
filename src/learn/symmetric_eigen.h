// Eigenvectors of a symmetric matrix: who needs them is handed a solver and knows no library of
// dense algebra.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace creg::learn {

struct SymmetricEigen {
  std::vector<double> values;   ///< ascending
  std::vector<double> vectors;  ///< n x n, an eigenvector per column
};

/// Of an n x n matrix.
using EigenSolver = std::function<SymmetricEigen(std::vector<double> matrix, std::int64_t n)>;

/// By libtorch. On one thread: the same for every number of threads.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::int64_t n);

}  // namespace creg::learn
