#include "learn/symmetric_eigen.h"

#include <torch/types.h>

#include <algorithm>
#include <tuple>

#include "ops/runtime.h"
#include "ops/tensors.h"

namespace creg::learn {

SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::int64_t n) {
  SymmetricEigen result;
  with_one_blas_thread([&] {
    const at::NoGradGuard no_grad;
    const at::Tensor view = at::from_blob(matrix.data(), {n, n}, at::kDouble);
    const auto [values, vectors] = at::linalg_eigh(view);
    const auto found = host_array<double>(values);
    const auto rows = host_array<double>(vectors);
    result.values.assign(found.begin(), found.end());
    result.vectors.assign(rows.begin(), rows.end());
  });
  return result;
}

}  // namespace creg::learn
