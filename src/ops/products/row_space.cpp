#include "ops/row_space.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>

#include "kernels/row_space.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

/// L with L L^T = gram, in place of its lower half. False where gram is (nearly) singular.
bool factor_in_place(const at::Tensor& gram) {
  const std::int64_t n = gram.size(0);
  auto* const values = gram.data_ptr<double>();
  constexpr double least = 1e-8;
  for (std::int64_t i = 0; i < n; ++i) {
    double* const row = values + i * n;
    const double length = row[i];
    for (std::int64_t j = 0; j < i; ++j) {
      const double* const other = values + j * n;
      double sum = row[j];
      for (std::int64_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
      row[i] -= row[j] * row[j];
    }
    if (!(row[i] > least * length)) return false;
    row[i] = std::sqrt(row[i]);
  }
  return true;
}

at::Tensor by_factors(const at::Tensor& exact) {
  const at::Tensor gram = exact.mm(exact.t());
  if (!factor_in_place(gram)) return {};
  return at::linalg_solve_triangular(gram, exact, /*upper=*/false);
}

constexpr KernelOnDevice<std::int64_t, double*> product_factoring{
    {"orthonormal_rows", nullptr, CREG_ON_CUDA(cuda::factor_products)}};
constexpr KernelOnDevice<std::int64_t, std::int64_t, const double*, double*> row_solving{
    {"orthonormal_rows", nullptr, CREG_ON_CUDA(cuda::solve_rows)}};

/// Twice: what the first factors leave, of rows that nearly depend on each other, the second ones
/// find. The host waits for nothing, so that a step can be recorded.
at::Tensor by_factors_on_cuda(const at::Tensor& exact) {
  const std::int64_t count = exact.size(0);
  const at::Tensor rows = exact.clone();
  for (int round = 0; round < 2; ++round) {
    const at::Tensor products = rows.mm(rows.t());
    product_factoring.run(rows, count, products.data_ptr<double>());
    row_solving.run(rows, count, rows.size(1), products.data_ptr<double>(),
                    rows.data_ptr<double>());
  }
  return rows;
}

constexpr OnDevice<at::Tensor(const at::Tensor&)> basis_of{"orthonormal_rows", by_factors,
                                                           by_factors_on_cuda};

}  // namespace

at::Tensor orthonormal_rows(const at::Tensor& rows) {
  TORCH_CHECK(rows.dim() == 2 && rows.size(0) <= rows.size(1) && rows.scalar_type() == at::kFloat,
              "orthonormal_rows: a float32 matrix that is no higher than wide");
  const at::NoGradGuard no_grad;
  // The square of a condition number needs the digits of float64.
  const at::Tensor basis = basis_of.of(rows.device())(rows.to(at::kDouble).contiguous());
  return basis.defined() ? basis.to(at::kFloat) : basis;
}

}  // namespace creg
