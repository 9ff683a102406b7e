// What the processes that share a graph ask of each other: the few calls that training on parts is
// made of. All ranks make the same calls in the same order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace creg {

class PeerRanks {
 public:
  PeerRanks() = default;
  PeerRanks(const PeerRanks&) = delete;
  PeerRanks& operator=(const PeerRanks&) = delete;
  virtual ~PeerRanks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// `rows` has sends[0] rows for rank 0, then sends[1] for rank 1, and so on, this rank included.
  /// What comes back is what the ranks have for this one, in their order: receives[q] rows of rank
  /// q, which knows that number as its sends[rank()]. Rows are alike on all ranks in type and
  /// width.
  virtual at::Tensor exchange(const at::Tensor& rows, std::span<const std::int64_t> sends,
                              std::span<const std::int64_t> receives) = 0;
  /// The sum over the ranks in their order, the same bytes on all of them.
  virtual at::Tensor sum(const at::Tensor& values) = 0;
  /// [size(), ...]: the values of every rank.
  virtual at::Tensor gather(const at::Tensor& values) = 0;
};

}  // namespace creg
