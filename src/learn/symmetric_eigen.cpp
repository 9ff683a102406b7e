#include "learn/symmetric_eigen.h"

#include <torch/types.h>

#include <algorithm>
#include <tuple>

#include "ops/runtime.h"

namespace creg::learn {

SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::int64_t n) {
  SymmetricEigen result;
  with_one_blas_thread([&] {
    const at::NoGradGuard no_grad;
    const at::Tensor view = at::from_blob(matrix.data(), {n, n}, at::kDouble);
    const auto [values, vectors] = at::linalg_eigh(view);
    const at::Tensor rows = vectors.contiguous();
    result.values.assign(values.data_ptr<double>(), values.data_ptr<double>() + n);
    result.vectors.assign(rows.data_ptr<double>(), rows.data_ptr<double>() + n * n);
  });
  return result;
}

}  // namespace creg::learn
