#include "creg/contrast/pairs.h"

#include <torch/types.h>

#include <vector>

#include "ops/device.h"
#include "ops/random.h"

namespace creg {

at::Tensor draw_negatives(const Context& context, std::int64_t nodes, int count, std::uint64_t seed,
                          std::uint32_t epoch) {
  std::vector<at::Tensor> orders;
  for (int k = 0; k < count; ++k) {
    orders.push_back(
        draw_permutation(device_of(context), nodes,
                         {seed, Purpose::negatives, epoch, static_cast<std::uint64_t>(k)}));
  }
  return at::stack(orders, 1);
}

Pairs aligned_pairs(const at::Tensor& negatives) {
  const std::int64_t nodes = negatives.size(0);
  return {{}, at::arange(nodes, negatives.options()).reshape({nodes, 1}), negatives};
}

Pairs anchored_pairs(const at::Tensor& positives, const at::Tensor& negatives,
                     const at::Tensor& seeds) {
  const std::int64_t nodes = negatives.size(0);
  const at::Tensor rows = positives.dim() == 1 ? positives.reshape({nodes, 1}) : positives;
  const at::Tensor first = rows.select(1, 0);
  const at::Tensor found =
      (seeds.defined() ? first.index_select(0, seeds) : first).ge(0).nonzero().squeeze(1);
  if (found.numel() == nodes && !seeds.defined()) return {{}, rows, negatives};
  const at::Tensor chosen = seeds.defined() ? seeds.index_select(0, found) : found.to(at::kInt);
  return {chosen, rows.index_select(0, chosen), negatives.index_select(0, chosen)};
}

}  // namespace creg
