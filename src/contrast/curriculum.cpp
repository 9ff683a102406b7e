#include "contrast/curriculum.h"

#include <torch/types.h>

#include <algorithm>
#include <tuple>

namespace creg {

Round round_of(int epoch, int epochs, int rounds, std::int64_t nodes) {
  if (rounds <= 1) return {0, epoch == 0, nodes};
  const int length = (epochs + rounds - 1) / rounds;
  const int number = std::min(epoch / length, rounds - 1);
  const std::int64_t seeds = nodes * (number + 1) / rounds;
  return {number, epoch % length == 0, std::max<std::int64_t>(seeds, 1)};
}

at::Tensor clearest_nodes(const at::Tensor& entropies, std::int64_t count) {
  const at::Tensor by_entropy =
      std::get<1>(at::sort(entropies, /*stable=*/true, std::int64_t{0}, /*descending=*/false));
  return std::get<0>(at::sort(by_entropy.narrow(0, 0, count))).to(at::kInt);
}

}  // namespace creg
