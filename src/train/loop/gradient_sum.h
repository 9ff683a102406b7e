// The gradients of several batches, added up in the order of the batches, wherever they come from:
// the sum's bits do not depend on the number of ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "comm/pending_rows.h"

namespace creg {

/// Every rank adds up a share of the numbers, of all batches; in the end all have all shares. What
/// goes over the network is under way while the next gradient is computed.
class GradientSum {
 public:
  /// Of gradients of so many numbers, float32. The communicator outlives this.
  GradientSum(Communicator& world, std::int64_t numbers);

  /// The next batches: one each of the ranks 0 … `ranks`-1. All ranks call it; `gradient` is left
  /// undefined by those that have none.
  void add(const at::Tensor& gradient, int ranks);
  /// The sum of all that were added; then it begins anew.
  at::Tensor take();

 private:
  void catch_up();

  Communicator& world_;
  std::vector<std::int64_t> shares_;  // of each rank
  at::Tensor sum_;                    // of the own share; undefined: nothing yet
  std::optional<PendingRows> pending_;
  int pending_ranks_ = 0;
};

}  // namespace creg
