#include "creg/contrast/pairs.h"

#include <torch/types.h>

#include "creg/core/random.h"
#include "ops/tensors.h"

namespace creg {

at::Tensor draw_negatives(std::int64_t nodes, int count, std::uint64_t seed, std::uint32_t epoch) {
  at::Tensor out = at::empty({nodes, count}, at::kInt);
  auto* const values = out.data_ptr<std::int32_t>();
  for (int k = 0; k < count; ++k) {
    RandomStream stream(seed, Purpose::negatives, epoch, static_cast<std::uint64_t>(k));
    const std::vector<std::int32_t> order =
        random_permutation(static_cast<std::int32_t>(nodes), stream);
    for (std::int64_t i = 0; i < nodes; ++i) values[i * count + k] = order[i];
  }
  return out;
}

Pairs aligned_pairs(const at::Tensor& negatives) {
  const std::int64_t nodes = negatives.size(0);
  return {{}, at::arange(nodes, at::kInt).reshape({nodes, 1}), negatives};
}

Pairs anchored_pairs(const at::Tensor& positives, const at::Tensor& negatives,
                     const at::Tensor& seeds) {
  const std::int64_t nodes = negatives.size(0);
  const at::Tensor rows = positives.dim() == 1 ? positives.reshape({nodes, 1}) : positives;
  const std::int64_t per_node = rows.size(1);
  const auto* const positive = rows.data_ptr<std::int32_t>();
  const auto* const seed = seeds.defined() ? seeds.data_ptr<std::int32_t>() : nullptr;
  std::vector<std::int32_t> anchors;
  const std::int64_t candidates = seed == nullptr ? nodes : seeds.numel();
  anchors.reserve(static_cast<std::size_t>(candidates));
  for (std::int64_t s = 0; s < candidates; ++s) {
    const std::int32_t node = seed == nullptr ? static_cast<std::int32_t>(s) : seed[s];
    if (positive[node * per_node] >= 0) anchors.push_back(node);
  }
  if (static_cast<std::int64_t>(anchors.size()) == nodes && seed == nullptr) {
    return {{}, rows, negatives};
  }
  const at::Tensor chosen = index_tensor(std::move(anchors));
  return {chosen, rows.index_select(0, chosen), negatives.index_select(0, chosen)};
}

}  // namespace creg
