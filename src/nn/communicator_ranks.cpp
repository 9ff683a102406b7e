#include "nn/communicator_ranks.h"

#include <torch/types.h>

#include <vector>

namespace creg {

at::Tensor CommunicatorRanks::exchange(const at::Tensor& rows, std::span<const std::int64_t> sends,
                                       std::span<const std::int64_t> receives) {
  return communicator_.all_to_all(rows.contiguous(), sends, receives);
}

at::Tensor CommunicatorRanks::sum(const at::Tensor& values) {
  return communicator_.sum_in_rank_order(values);
}

at::Tensor CommunicatorRanks::gather(const at::Tensor& values) {
  const std::vector<std::int64_t> one_each(static_cast<std::size_t>(size()), 1);
  std::vector<std::int64_t> shape = {size()};
  for (const std::int64_t length : values.sizes()) shape.push_back(length);
  return communicator_.all_gather(values.reshape({1, -1}), one_each).view(shape);
}

}  // namespace creg
