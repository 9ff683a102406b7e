// The ranks of a Communicator, as training on parts asks things of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "comm/communicator.h"
#include "nn/peer_ranks.h"

namespace creg {

class CommunicatorRanks final : public PeerRanks {
 public:
  /// It outlives this.
  explicit CommunicatorRanks(Communicator& communicator) : communicator_(communicator) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  at::Tensor exchange(const at::Tensor& rows, std::span<const std::int64_t> sends,
                      std::span<const std::int64_t> receives) override;
  at::Tensor sum(const at::Tensor& values) override;
  at::Tensor gather(const at::Tensor& values) override;

 private:
  Communicator& communicator_;
};

}  // namespace creg
