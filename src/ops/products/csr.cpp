#include "ops/csr.h"

#include <torch/types.h>

#include <utility>
#include <vector>

#include "graph/build.h"
#include "graph/edge_drop.h"
#include "ops/runtime/on_device.h"
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

constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&)> transposing{"transpose",
                                                                              transpose_on_cpu};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, SelfLoops)> adding_loops{
    "with_self_loops", loops_on_cpu};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&)> normalising{"gcn_normalised",
                                                                              gcn_on_cpu};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, SelfLoops)> averaging{
    "row_normalised", mean_on_cpu};
constexpr OnDevice<CsrTensors(const Context&, const CsrTensors&, double, const at::Tensor&,
                              const ViewDraw&)>
    dropping{"drop_edges", drop_on_cpu};

}  // namespace

CsrTensors csr_tensors(const Context& context, const CsrMatrix& matrix) {
  CsrTensors out;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.offsets = as_tensor(context, matrix.offsets);
  out.columns = as_tensor(context, matrix.columns);
  if (!matrix.values.empty()) out.values = as_tensor(context, matrix.values);
  return out;
}

CsrMatrix host_csr(const CsrTensors& matrix) {
  CsrMatrix out;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.offsets = host_array<std::int64_t>(matrix.offsets);
  out.columns = host_array<std::int32_t>(matrix.columns);
  if (matrix.values.defined()) out.values = host_array<float>(matrix.values);
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
