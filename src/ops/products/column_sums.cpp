#include "ops/products/column_sums.h"

#include <torch/types.h>

#include "kernels/column_sums.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

// On the CPU, and of many rows, libtorch's own sums are as good.
constexpr KernelOnDevice<const kernels::ColumnSums&> few_rows{
    {"column_sums", nullptr, CREG_ON_CUDA(cuda::column_sums)}};
constexpr std::int64_t most_rows = 16384;

}  // namespace

at::Tensor column_sums(const at::Tensor& matrix) {
  if (!matrix.is_cuda() || matrix.size(0) > most_rows || !matrix.is_contiguous()) {
    return matrix.sum(0, false, at::kDouble).to(at::kFloat);
  }
  at::Tensor out = at::empty({matrix.size(1)}, matrix.options());
  few_rows.run(matrix, {.matrix = matrix.data_ptr<float>(),
                        .rows = matrix.size(0),
                        .cols = matrix.size(1),
                        .out = out.data_ptr<float>()});
  return out;
}

}  // namespace creg
