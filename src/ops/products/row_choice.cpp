#include "ops/row_choice.h"

#include <torch/types.h>

#include "creg/ops/aggregate.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

at::Tensor chosen_on_cpu(const at::Tensor& rows, const at::Tensor& chosen) {
  return rows.index_select(0, chosen);
}

[[maybe_unused]] at::Tensor chosen_on_gpu(const at::Tensor& rows, const at::Tensor& chosen) {
  return aggregate(choice_matrix(chosen.to(at::kInt), rows.size(0)), rows);
}

constexpr OnDevice<at::Tensor(const at::Tensor&, const at::Tensor&)> choosing{
    "chosen_rows", chosen_on_cpu, CREG_ON_CUDA(chosen_on_gpu)};

}  // namespace

SparseMatrix choice_matrix(const at::Tensor& chosen, std::int64_t rows) {
  const std::int64_t count = chosen.numel();
  const auto [sorted, places] =
      at::sort(chosen, /*stable=*/true, std::int64_t{0}, /*descending=*/false);
  const at::Tensor all = at::arange(rows + 1, chosen.options());
  return {CsrTensors{.rows = count,
                     .cols = rows,
                     .offsets = at::arange(count + 1, chosen.options().dtype(at::kLong)),
                     .columns = chosen.contiguous(),
                     .values = {}},
          CsrTensors{.rows = rows,
                     .cols = count,
                     .offsets = at::searchsorted(sorted, all),
                     .columns = places.to(at::kInt),
                     .values = {}}};
}

at::Tensor chosen_rows(const at::Tensor& rows, const at::Tensor& chosen) {
  TORCH_CHECK(rows.dim() == 2 && chosen.dim() == 1 && chosen.scalar_type() == at::kLong,
              "chosen_rows: numbers of rows of a matrix are int64");
  return choosing.of(rows.device())(rows, chosen);
}

}  // namespace creg
