#include "ops/csr.h"

#include <torch/types.h>

#include <utility>
#include <vector>

#include "graph/build.h"
#include "graph/edge_drop.h"
#include "kernels/csr_build.h"
#include "ops/device.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"
#include "ops/tensors.h"

namespace creg {
namespace {

// The CPU has them already, over plain arrays.

CsrTensors transpose_on_cpu(const Context& context, const CsrTensors& matrix) {
  return csr_tensors(context, transpose(context, host_csr(matrix)));
}

CsrTensors loops_on_cpu(const Context& context, const CsrTensors& adjacency, SelfLoops loops) {
  return csr_tensors(context, with_self_loops(context, host_csr(adjacency), loops));
}

CsrTensors gcn_on_cpu(const Context& context, const CsrTensors& adjacency) {
  return csr_tensors(context, gcn_normalised(context, host_csr(adjacency)));
}

CsrTensors mean_on_cpu(const Context& context, const CsrTensors& adjacency, SelfLoops loops) {
  return csr_tensors(context, row_normalised(context, host_csr(adjacency), loops));
}

CsrTensors drop_on_cpu(const Context& context, const CsrTensors& adjacency, double chance,
                       const at::Tensor& chances, const ViewDraw& draw) {
  const CsrMatrix whole = host_csr(adjacency);
  if (!chances.defined()) return csr_tensors(context, drop_edges(context, whole, chance, draw));
  return csr_tensors(context, drop_edges(context, whole, host_array<float>(chances).span(), draw));
}

// A GPU makes them in place, with room for as many entries as there can be.

constexpr KernelOnDevice<const kernels::CsrRows&, const kernels::NewCsrRows&> row_transposing{
    {"transpose", nullptr, CREG_ON_CUDA(cuda::transpose_rows)}};
constexpr KernelOnDevice<const kernels::CsrRows&, SelfLoops, const kernels::NewCsrRows&>
    loop_adding{{"with_self_loops", nullptr, CREG_ON_CUDA(cuda::add_self_loops)}};
constexpr KernelOnDevice<const kernels::CsrRows&, float*> scaling_both_ways{
    {"gcn_normalised", nullptr, CREG_ON_CUDA(cuda::scale_both_ways)}};
constexpr KernelOnDevice<const kernels::CsrRows&, float*> scaling_rows{
    {"row_normalised", nullptr, CREG_ON_CUDA(cuda::scale_rows)}};
constexpr KernelOnDevice<const kernels::CsrRows&, const kernels::EntryChances&,
                         const kernels::NewCsrRows&>
    entry_dropping{{"drop_edges", nullptr, CREG_ON_CUDA(cuda::drop_entries)}};

kernels::CsrRows rows_of(const CsrTensors& matrix) {
  return {.rows = matrix.rows,
          .cols = matrix.cols,
          .places = matrix.nonzeros(),
          .offsets = matrix.offsets.data_ptr<std::int64_t>(),
          .columns = matrix.columns.data_ptr<std::int32_t>(),
          .values = pointer<float>(matrix.values)};
}

/// An unwritten matrix beside `like`.
CsrTensors unwritten(const CsrTensors& like, std::int64_t rows, std::int64_t cols,
                     std::int64_t places, bool weighted) {
  CsrTensors out;
  out.rows = rows;
  out.cols = cols;
  out.offsets = at::empty({rows + 1}, like.offsets.options());
  out.columns = at::empty({places}, like.columns.options());
  if (weighted) out.values = at::empty({places}, like.columns.options().dtype(at::kFloat));
  return out;
}

kernels::NewCsrRows places_of(const CsrTensors& matrix) {
  return {.offsets = matrix.offsets.data_ptr<std::int64_t>(),
          .columns = matrix.columns.data_ptr<std::int32_t>(),
          .values = matrix.values.defined() ? matrix.values.data_ptr<float>() : nullptr};
}

CsrTensors transpose_on_cuda(const Context& /*context*/, const CsrTensors& matrix) {
  CsrTensors out =
      unwritten(matrix, matrix.cols, matrix.rows, matrix.nonzeros(), matrix.values.defined());
  row_transposing.run(matrix.columns, rows_of(matrix), places_of(out));
  return out;
}

CsrTensors loops_on_cuda(const Context& /*context*/, const CsrTensors& adjacency, SelfLoops loops) {
  TORCH_CHECK(adjacency.rows == adjacency.cols, "with_self_loops: an adjacency is square");
  const std::int64_t added = loops == SelfLoops::as_stored ? 0 : adjacency.rows;
  CsrTensors out =
      unwritten(adjacency, adjacency.rows, adjacency.cols, adjacency.nonzeros() + added, true);
  loop_adding.run(adjacency.columns, rows_of(adjacency), loops, places_of(out));
  return out;
}

CsrTensors gcn_on_cuda(const Context& context, const CsrTensors& adjacency) {
  CsrTensors out =
      transpose_on_cuda(context, loops_on_cuda(context, adjacency, SelfLoops::missing));
  scaling_both_ways.run(out.columns, rows_of(out), out.values.data_ptr<float>());
  return out;
}

CsrTensors mean_on_cuda(const Context& context, const CsrTensors& adjacency, SelfLoops loops) {
  CsrTensors out = transpose_on_cuda(context, loops_on_cuda(context, adjacency, loops));
  scaling_rows.run(out.columns, rows_of(out), out.values.data_ptr<float>());
  return out;
}

CsrTensors drop_on_cuda(const Context& /*context*/, const CsrTensors& adjacency, double chance,
                        const at::Tensor& chances, const ViewDraw& draw) {
  CsrTensors out = unwritten(adjacency, adjacency.rows, adjacency.cols, adjacency.nonzeros(),
                             adjacency.values.defined());
  const at::Tensor own = chances.defined() ? chances.contiguous() : at::Tensor();
  entry_dropping.run(adjacency.columns, rows_of(adjacency),
                     {.key = {draw.seed, Purpose::edge_drop, draw.step, draw.item()},
                      .own = pointer<float>(own),
                      .shared = chance},
                     places_of(out));
  return out;
}

constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&)> transposing{
    "transpose", transpose_on_cpu, transpose_on_cuda};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, SelfLoops)> adding_loops{
    "with_self_loops", loops_on_cpu, loops_on_cuda};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&)> normalising{
    "gcn_normalised", gcn_on_cpu, gcn_on_cuda};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, SelfLoops)> averaging{
    "row_normalised", mean_on_cpu, mean_on_cuda};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, double, const at::Tensor&,
                              const ViewDraw&)>
    dropping{"drop_edges", drop_on_cpu, drop_on_cuda};

}  // namespace

CsrTensors csr_tensors(const Context& context, const CsrMatrix& matrix) {
  // Kernels of a GPU take it that columns ascend.
  const CsrMatrix rows = device_of(context).is_cpu() ? matrix : sort_rows(context, matrix);
  CsrTensors out;
  out.rows = rows.rows;
  out.cols = rows.cols;
  out.offsets = as_tensor(context, rows.offsets);
  out.columns = as_tensor(context, rows.columns);
  if (!rows.values.empty()) out.values = as_tensor(context, rows.values);
  return out;
}

CsrTensors without_room(const CsrTensors& matrix) {
  const auto used = matrix.offsets[matrix.rows].item<std::int64_t>();
  CsrTensors out = matrix;
  out.columns = matrix.columns.narrow(0, 0, used);
  if (matrix.values.defined()) out.values = matrix.values.narrow(0, 0, used);
  return out;
}

CsrMatrix host_csr(const CsrTensors& matrix) {
  CsrMatrix out;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.offsets = host_array<std::int64_t>(matrix.offsets);
  const std::int64_t used = out.offsets[matrix.rows];
  out.columns = host_array<std::int32_t>(matrix.columns.narrow(0, 0, used));
  if (matrix.values.defined()) out.values = host_array<float>(matrix.values.narrow(0, 0, used));
  return out;
}

at::Tensor joined_nodes(const Context& context, const CsrMatrix& adjacency) {
  std::vector<std::int32_t> joined;
  for (std::int64_t node = 0; node < adjacency.rows; ++node) {
    for (std::int64_t e = adjacency.offsets[node]; e < adjacency.offsets[node + 1]; ++e) {
      if (adjacency.columns[e] == node) continue;
      joined.push_back(static_cast<std::int32_t>(node));
      break;
    }
  }
  if (static_cast<std::int64_t>(joined.size()) == adjacency.rows) return {};
  return tensor_on(context, std::move(joined));
}

CsrTensors transpose(const Context& context, const CsrTensors& matrix) {
  return transposing.of(matrix.columns.device())(context, matrix);
}

CsrTensors with_self_loops(const Context& context, const CsrTensors& adjacency, SelfLoops loops) {
  return adding_loops.of(adjacency.columns.device())(context, adjacency, loops);
}

CsrTensors gcn_normalised(const Context& context, const CsrTensors& adjacency) {
  return normalising.of(adjacency.columns.device())(context, adjacency);
}

CsrTensors row_normalised(const Context& context, const CsrTensors& adjacency, SelfLoops loops) {
  return averaging.of(adjacency.columns.device())(context, adjacency, loops);
}

CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency, double chance,
                      const ViewDraw& draw) {
  if (chance <= 0) return adjacency;
  return dropping.of(adjacency.columns.device())(context, adjacency, chance, {}, draw);
}

CsrTensors drop_edges(const Context& context, const CsrTensors& adjacency,
                      const at::Tensor& chances, const ViewDraw& draw) {
  TORCH_CHECK(chances.scalar_type() == at::kFloat && chances.numel() == adjacency.nonzeros(),
              "drop_edges: one float32 per entry");
  return dropping.of(adjacency.columns.device())(context, adjacency, 0, chances, draw);
}

}  // namespace creg
