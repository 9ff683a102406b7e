#include "ops/row_space.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>

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

}  // namespace

at::Tensor orthonormal_rows(const at::Tensor& rows) {
  TORCH_CHECK(rows.dim() == 2 && rows.size(0) <= rows.size(1) && rows.scalar_type() == at::kFloat,
              "orthonormal_rows: a float32 matrix that is no higher than wide");
  const at::NoGradGuard no_grad;
  // The square of a condition number needs the digits of float64.
  const at::Tensor exact = rows.to(at::kDouble).contiguous();
  // So small that the host does it for every device.
  const at::Tensor gram = exact.mm(exact.t()).to(at::kCPU);
  if (!factor_in_place(gram)) return {};
  return at::linalg_solve_triangular(gram.to(exact.device()), exact, /*upper=*/false)
      .to(at::kFloat);
}

}  // namespace creg
