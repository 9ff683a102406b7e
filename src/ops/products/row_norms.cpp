#include "ops/row_norms.h"

#include <torch/types.h>

#include "kernels/pair.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::LengthStatistics&> length_statistics{
    {"norm_statistics", cpu::length_statistics, CREG_ON_CUDA(cuda::length_statistics)}};

}  // namespace

NormStatistics norm_statistics(const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = rows.contiguous();
  const auto doubles = values.options().dtype(at::kDouble);
  const NormStatistics out{at::empty({}, doubles), at::empty({}, doubles)};
  const at::Tensor lengths = at::empty({values.size(0)}, values.options());
  length_statistics.run(values, {.rows = values.data_ptr<float>(),
                                 .count = values.size(0),
                                 .width = values.size(1),
                                 .lengths = lengths.data_ptr<float>(),
                                 .mean = out.mean.data_ptr<double>(),
                                 .variance = out.variance.data_ptr<double>()});
  return out;
}

at::Tensor unit_rows(const at::Tensor& rows) {
  return rows / rows.norm(2, 1, true).clamp_min(1e-12);
}

}  // namespace creg
