// Eigenvectors of a symmetric matrix as textbooks find them, for builds without libtorch.
#pragma once

#include "learn/symmetric_eigen.h"

namespace creg::test {

/// Householder's reduction to three diagonals, then implicit QR steps with Wilkinson's shift.
learn::SymmetricEigen plain_eigen(std::vector<double> matrix, std::int64_t size);

}  // namespace creg::test
