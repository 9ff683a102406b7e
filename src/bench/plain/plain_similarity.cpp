#include "bench/plain/plain_similarity.h"

#include <torch/types.h>

#include "core/text.h"
#include "creg/core/error.h"
#include "train/memory_estimate.h"

namespace creg {

SimilarityResult plain_similarity(const at::Tensor& embeddings, std::int64_t k, bool entropies) {
  const at::NoGradGuard no_grad;
  const at::Tensor unit = embeddings / embeddings.norm(2, 1, true).clamp_min(1e-12);
  at::Tensor similarities = at::mm(unit, unit.t());
  SimilarityResult result;
  if (k > 0) {
    auto [values, indices] = at::topk(similarities, k, 1);
    result.values = values;
    result.indices = indices.to(at::kInt);
  }
  if (entropies) {
    similarities.clamp_min_(0);
    similarities.div_(similarities.sum(1, true));
    result.entropies = -at::xlogy(similarities, similarities).sum(1);
  }
  return result;
}

void require_plain_similarity_memory(std::int64_t nodes) {
  // The similarities, and their logarithms while these are summed.
  require_square_memory(nodes, 2);
}

void require_square_memory(std::int64_t nodes, int matrices) {
  const double wanted = matrices * 4.0 * static_cast<double>(nodes) * static_cast<double>(nodes);
  const std::int64_t available = available_memory();
  if (wanted <= static_cast<double>(available)) return;
  fail_environment({.what = "the N x N matrix of the plain baseline does not fit into memory",
                    .file = "--compare plain",
                    .found = human_bytes(static_cast<std::int64_t>(wanted)) + " for " +
                             with_commas(nodes) + " nodes",
                    .expected = "at most the " + human_bytes(available) + " that are available",
                    .hint = "take a smaller graph (synthetic:pubmed@0.5), or drop --compare"});
}

}  // namespace creg
