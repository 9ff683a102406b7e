#include "bench/spmm.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/nn/inputs.h"
#include "creg/ops/aggregate.h"
#include "graph/normalise.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "ops/tensors.h"
#include "ops/torch_compat.h"
#include "train/memory_estimate.h"

namespace creg {
namespace {

/// Uniform in [-1, 1).
at::Tensor random_rows(const Context& context, std::int64_t rows, std::int64_t cols) {
  return draw_symmetric(device_of(context), rows, cols, 1, {context.seed(), Purpose::bench_values});
}

void copy_values(const at::Tensor& from, at::Tensor& to) {
  if (!from.is_cpu()) {
    to.copy_(from);
    return;
  }
  const Array<float> source = host_array<float>(from);
  const std::span<float> target = host_span<float>(to);
  constexpr std::int64_t grain = std::int64_t{1} << 18;
  at::parallel_for(0, source.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    std::copy(source.begin() + begin, source.begin() + end, target.begin() + begin);
  });
}

void require_product_memory(std::int64_t nodes, std::int64_t dim, bool compare_plain) {
  // H, a product each, and the copy.
  const double wanted =
      4.0 * static_cast<double>(nodes) * static_cast<double>(dim) * (compare_plain ? 4 : 3);
  const std::int64_t available = available_memory();
  if (wanted <= static_cast<double>(available)) return;
  fail_environment({.what = "the matrices of this product do not fit into memory",
                    .found = human_bytes(static_cast<std::int64_t>(wanted)),
                    .expected = "at most the " + human_bytes(available) + " that are available",
                    .hint = "take a smaller --dim or a smaller graph"});
}

}  // namespace

SpmmBench bench_spmm(const Context& context, const Graph& graph, std::int64_t dim,
                     const MeasureOptions& options, bool compare_plain) {
  const at::NoGradGuard no_grad;
  install_tensor_memory();
  prepare_torch(context);
  require_product_memory(graph.nodes(), dim, compare_plain);
  const SparseMatrix matrix = aggregation_matrix(context, graph, Aggregation::gcn);
  const at::Tensor h = random_rows(context, graph.nodes(), dim);
  at::Tensor copy = at::empty_like(h);
  at::Tensor csr;
  if (compare_plain) {
    const compat::NoRemarks quiet;  // that sparse CSR tensors are in beta
    csr = as_sparse_csr(gcn_normalised(context, graph.adjacency)).to(device_of(context));
  }

  SpmmBench out;
  const auto row_bytes = 4 * dim;
  out.nonzeros = matrix.nonzeros();
  // Entries gather rows of H and are themselves an int32 column and a float.
  out.product_bytes = out.nonzeros * (row_bytes + 8) + graph.nodes() * (row_bytes + 8);
  out.copy_bytes = 2 * static_cast<std::int64_t>(h.nbytes());

  at::Tensor product;
  at::Tensor plain_product;
  const auto h_bytes = static_cast<std::int64_t>(h.nbytes());
  std::vector<Contestant> contestants = {
      {[&](int /*round*/) {
         product.reset();
         product = aggregate(matrix, h);
       },
       h_bytes + matrix.bytes()},
      {[&](int /*round*/) { copy_values(h, copy); }, 2 * h_bytes}};
  if (compare_plain) {
    // 64-bit offsets and columns, and a value per entry.
    const std::int64_t csr_bytes = 8 * (graph.nodes() + 1) + 12 * out.nonzeros;
    contestants.push_back({[&](int /*round*/) {
                             plain_product.reset();
                             plain_product = at::mm(csr, h);
                           },
                           h_bytes + csr_bytes, options.plain_memory});
  }
  std::vector<Measurement> measured = measure(context, "products", options, contestants);
  out.ours = std::move(measured[0]);
  out.copy = std::move(measured[1]);
  if (compare_plain) {
    out.plain = std::move(measured[2]);
    out.largest_difference = (product - plain_product).abs().max().item<double>();
  }
  return out;
}

}  // namespace creg
