// Eigenvectors of a symmetric matrix, by libtorch.
#pragma once

#include <cstdint>
#include <vector>

namespace creg::learn {

struct SymmetricEigen {
  std::vector<double> values;   ///< ascending
  std::vector<double> vectors;  ///< n x n, an eigenvector per column
};

/// `matrix`: n x n. On one thread: the same for every number of threads.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::int64_t n);

}  // namespace creg::learn
