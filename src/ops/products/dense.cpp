#include "ops/dense.h"

#include <torch/types.h>

#include "kernels/dense.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::SparseRows&, float*> dense_kernel{
    {.op = "dense_of", .cpu = cpu::add_to_dense, .cuda = CREG_ON_CUDA(cuda::add_to_dense)}};

}  // namespace

at::Tensor dense_of(const CsrTensors& matrix) {
  const bool weighted = matrix.values.defined();
  TORCH_CHECK(matrix.offsets.scalar_type() == at::kLong && matrix.offsets.is_contiguous() &&
                  matrix.offsets.numel() == matrix.rows + 1,
              "dense_of: offsets must be int64 [rows + 1]");
  TORCH_CHECK(matrix.columns.scalar_type() == at::kInt && matrix.columns.is_contiguous(),
              "dense_of: columns must be int32");
  TORCH_CHECK(
      !weighted || (matrix.values.scalar_type() == at::kFloat && matrix.values.is_contiguous() &&
                    matrix.values.numel() == matrix.nonzeros()),
      "dense_of: values must be float32, one per entry");
  at::Tensor out =
      at::zeros({matrix.rows, matrix.cols}, matrix.offsets.options().dtype(at::kFloat));
  dense_kernel.run(
      out,
      kernels::SparseRows{.rows = matrix.rows,
                          .cols = matrix.cols,
                          .offsets = matrix.offsets.data_ptr<std::int64_t>(),
                          .columns = matrix.columns.data_ptr<std::int32_t>(),
                          .values = weighted ? matrix.values.data_ptr<float>() : nullptr},
      out.data_ptr<float>());
  return out;
}

}  // namespace creg
