#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "kernels/similarity.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"
#include "ops/similarity.h"
#include "ops/similarity/embedding_rows.h"

namespace creg {
namespace {

// Nodes and columns of one block of products: 1 MiB per thread.
constexpr std::int64_t block_nodes = 128;
constexpr std::int64_t block_columns = 2048;

/// Offers the products of one node with columns from `first_column` on to its list.
void offer_row(const float* products, std::int64_t columns, std::int64_t first_column,
               std::int32_t excluded, std::int64_t k, float* values, std::int32_t* indices) {
  for (std::int64_t c = 0; c < columns; ++c) {
    // Columns come in rising order: of equal values the first stays.
    if (products[c] <= values[k - 1]) continue;
    const auto column = static_cast<std::int32_t>(first_column + c);
    if (column != excluded) cpu::offer(products[c], column, k, values, indices);
  }
}

SimilarityResult top_k_on_cpu(const Context& context, const at::Tensor& embeddings,
                              const at::Tensor& nodes, std::int64_t k, Similarity similarity,
                              SelfPairs self) {
  const std::int64_t n = embeddings.size(0);
  const at::NoGradGuard no_grad;
  const bool cosine = similarity == Similarity::cosine;
  const detail::ScaledRows scaled = detail::scaled_rows(embeddings, !cosine, cosine);
  const at::Tensor& rows = scaled.rows;
  const at::Tensor& scales = scaled.scales;
  const std::int64_t count = nodes.numel();
  const auto* const numbers = nodes.data_ptr<std::int32_t>();
  const Workers& workers = torch_workers();
  SimilarityResult result;
  result.values = at::full({count, k}, -std::numeric_limits<float>::infinity(), rows.options());
  result.indices = at::full({count, k}, cpu::TopKLists::vacant, rows.options().dtype(at::kInt));
  const std::int64_t blocks = (count + block_nodes - 1) / block_nodes;
  ProgressTask progress(context, "most similar nodes", count, "nodes");
  std::vector<at::Tensor> buffers;
  for (int worker = 0; worker < workers.count(); ++worker) {
    buffers.push_back(at::empty({block_nodes * block_columns}, rows.options()));
  }
  workers.for_pieces(blocks, [&](std::int64_t block, std::int64_t worker) {
    const at::NoGradGuard none;
    const std::int64_t first = block * block_nodes;
    const std::int64_t size = std::min(block_nodes, count - first);
    const at::Tensor chosen = nodes.narrow(0, first, size);
    const at::Tensor anchors = rows.index_select(0, chosen);
    for (std::int64_t column = 0; column < n; column += block_columns) {
      const std::int64_t columns = std::min(block_columns, n - column);
      at::Tensor products = buffers[static_cast<std::size_t>(worker)]
                                .narrow(0, 0, size * columns)
                                .view({size, columns});
      at::mm_out(products, anchors, rows.narrow(0, column, columns).t());
      const auto* const values = products.data_ptr<float>();
      // The length of the node itself changes nothing in its ranking; that of the others does.
      if (cosine) products.mul_(scales.narrow(0, column, columns));
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int32_t node = numbers[first + i];
        offer_row(values + i * columns, columns, column, self == SelfPairs::exclude ? node : -1, k,
                  result.values.data_ptr<float>() + (first + i) * k,
                  result.indices.data_ptr<std::int32_t>() + (first + i) * k);
      }
    }
    if (cosine) {
      result.values.narrow(0, first, size).mul_(scales.index_select(0, chosen).unsqueeze(1));
    }
    progress.advance(size);
  });
  progress.finish();
  return result;
}

[[maybe_unused]] SimilarityResult top_k_on_cuda(const Context& context,
                                                const at::Tensor& embeddings,
                                                const at::Tensor& nodes, std::int64_t k,
                                                Similarity similarity, SelfPairs self) {
  context.throw_if_stopped();
  const bool cosine = similarity == Similarity::cosine;
  const detail::ScaledRows scaled = detail::scaled_rows(embeddings, !cosine, cosine);
  const at::Tensor chosen = nodes.to(embeddings.device());
  SimilarityResult result;
  result.values = at::empty({nodes.numel(), k}, embeddings.options());
  result.indices = at::empty({nodes.numel(), k}, embeddings.options().dtype(at::kInt));
  const DeviceLaunch lent(embeddings.device());
  cuda::similarity_pass(lent.launch(), {.rows = scaled.rows.data_ptr<float>(),
                                        .count = embeddings.size(0),
                                        .width = embeddings.size(1),
                                        .scales = pointer<float>(scaled.scales),
                                        .chosen = chosen.data_ptr<std::int32_t>(),
                                        .chosen_count = nodes.numel(),
                                        .k = k,
                                        .with_self = self == SelfPairs::include,
                                        .precision = context.precision(),
                                        .values = result.values.data_ptr<float>(),
                                        .indices = result.indices.data_ptr<std::int32_t>()});
  return result;
}

constexpr OnDevice<SimilarityResult(const Context&, const at::Tensor&, const at::Tensor&,
                                    std::int64_t, Similarity, SelfPairs)>
    of_nodes{"top_k_of_nodes", top_k_on_cpu, CREG_ON_CUDA(top_k_on_cuda)};

}  // namespace

SimilarityResult top_k_of_nodes(const Context& context, const at::Tensor& embeddings,
                                const at::Tensor& nodes, std::int64_t k, Similarity similarity,
                                SelfPairs self) {
  const at::Tensor rows = detail::embedding_rows(embeddings, "top_k_of_nodes");
  invariant(nodes.scalar_type() == at::kInt && nodes.dim() == 1 && nodes.is_contiguous(),
            "top_k_of_nodes: nodes are int32");
  detail::check_top_k(k, rows.size(0), self);
  return of_nodes.of(rows.device())(context, rows, nodes, k, similarity, self);
}

}  // namespace creg
