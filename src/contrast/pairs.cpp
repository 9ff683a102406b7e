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
                     const at::Tensor& anchors) {
  const std::int64_t nodes = negatives.size(0);
  const at::Tensor rows = positives.dim() == 1 ? positives.reshape({nodes, 1}) : positives;
  if (!anchors.defined()) return {{}, rows, negatives};
  return {anchors, rows.index_select(0, anchors), negatives.index_select(0, anchors)};
}

}  // namespace creg
