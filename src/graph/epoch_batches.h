// The batches of an epoch: all nodes once, in a random order.
#pragma once

#include <cstdint>
#include <span>

#include "creg/core/array.h"

namespace creg {

/// How many batches an epoch over `nodes` nodes has; the last one may be shorter. A batch size
/// below 1 or above the number of nodes is an input error.
std::int64_t batches_per_epoch(std::int64_t nodes, std::int64_t batch_size);

/// Copies share the order.
class EpochBatches {
 public:
  /// Of the nodes 0..nodes-1. A pure function of its arguments.
  EpochBatches(std::int64_t nodes, std::int64_t batch_size, std::uint64_t seed,
               std::uint32_t epoch);
  /// Of these nodes alone, such as the labelled ones.
  EpochBatches(std::span<const std::int32_t> nodes, std::int64_t batch_size, std::uint64_t seed,
               std::uint32_t epoch);

  std::int64_t size() const { return size_; }
  /// The seeds of batch i, valid while this object or a copy of it lives.
  std::span<const std::int32_t> operator[](std::int64_t i) const;

 private:
  std::int64_t batch_size_;
  std::int64_t size_;
  Array<std::int32_t> order_;
};

}  // namespace creg
