#include "contrast/curriculum.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/tensors.h"

namespace creg {

Round round_of(int epoch, int epochs, int rounds, std::int64_t nodes) {
  if (rounds <= 1) return {0, epoch == 0, nodes};
  const int length = (epochs + rounds - 1) / rounds;
  const int number = std::min(epoch / length, rounds - 1);
  const std::int64_t seeds = nodes * (number + 1) / rounds;
  return {number, epoch % length == 0, std::max<std::int64_t>(seeds, 1)};
}

at::Tensor clearest_nodes(const at::Tensor& entropies, std::int64_t count) {
  const auto* const values = entropies.data_ptr<float>();
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(entropies.numel()));
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto clearer = [&](std::int32_t a, std::int32_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  };
  std::nth_element(nodes.begin(), nodes.begin() + count - 1, nodes.end(), clearer);
  nodes.resize(static_cast<std::size_t>(count));
  std::sort(nodes.begin(), nodes.end());
  return index_tensor(std::move(nodes));
}

}  // namespace creg
