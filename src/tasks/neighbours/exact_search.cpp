#include "tasks/neighbours/exact_search.h"

#include <torch/types.h>

#include "ops/similarity.h"
#include "ops/tensors.h"

namespace creg::tasks {
namespace {

Found found_of(const SimilarityResult& result, std::int64_t wide) {
  return {.wide = wide,
          .neighbours = host_array<std::int32_t>(result.indices),
          .scores = host_array<float>(result.values)};
}

}  // namespace

struct ExactSearch::Rows {
  at::Tensor tensor;
};

ExactSearch::ExactSearch(const Context& context, const DenseMatrix& embedding,
                         Similarity similarity)
    : context_(context),
      rows_(std::make_unique<Rows>(Rows{as_tensor(context, embedding)})),
      similarity_(similarity) {}

ExactSearch::~ExactSearch() = default;

Found ExactSearch::of_nodes(const Context& shown, std::span<const std::int32_t> nodes,
                            std::int64_t wide) const {
  const at::NoGradGuard no_grad;
  const at::Tensor chosen = index_tensor({nodes.begin(), nodes.end()});
  return found_of(
      top_k_of_nodes(shown, rows_->tensor, chosen, wide, similarity_, SelfPairs::exclude), wide);
}

Found ExactSearch::of_all(std::int64_t wide) const {
  const at::NoGradGuard no_grad;
  return found_of(top_k_similar(context_, rows_->tensor, wide, similarity_, SelfPairs::exclude),
                  wide);
}

}  // namespace creg::tasks
