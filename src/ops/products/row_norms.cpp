#include "ops/row_norms.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cmath>

#include "kernels/pair.h"

namespace creg {

NormStatistics norm_statistics(const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  const at::Tensor values = rows.contiguous();
  const std::int64_t count = values.size(0);
  const std::int64_t width = values.size(1);
  at::Tensor norms = at::empty({count}, at::kFloat);
  const float* const from = values.data_ptr<float>();
  float* const to = norms.data_ptr<float>();
  constexpr std::int64_t grain = 256;
  at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    cpu::row_lengths(from, width, to, begin, end);
  });
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += to[i];
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) squares += (to[i] - mean) * (to[i] - mean);
  const double variance = count < 2 ? 0 : squares / static_cast<double>(count - 1);
  return {at::full({}, mean, at::kDouble), at::full({}, variance, at::kDouble)};
}

at::Tensor unit_rows(const at::Tensor& rows) {
  return rows / rows.norm(2, 1, true).clamp_min(1e-12);
}

}  // namespace creg
