// What ranks with a part of a graph each can train, and what they send to each other in an epoch,
// known before they do. The same formulas are in docs/parts.md.
#pragma once

#include <cstdint>

#include "creg/core/context.h"
#include "creg/train/config.h"

namespace creg {

/// An input error that says why for a method, an encoder or a setting that a part does not suffice
/// for, or a device that is not the CPU.
void check_in_parts(const Device& device, const TrainConfig& config, bool directed);

/// Of one rank, and of all of them.
struct PartSizes {
  int ranks = 1;
  std::int64_t nodes = 0;     ///< of the whole graph
  std::int64_t entries = 0;   ///< of its adjacency, loops left out
  std::int64_t own = 0;       ///< of this rank
  std::int64_t halo = 0;      ///< that it has of others
  std::int64_t sent = 0;      ///< own nodes in the halos of others, each as often as it is there
  std::int64_t all_rows = 0;  ///< own nodes and halos of all ranks
  std::int64_t classes = 0;
  std::int64_t parameters = 0;  ///< trained numbers
};

/// Bytes that a rank sends in one epoch. Rows that permutations lead to are those that are
/// expected.
struct PartTraffic {
  std::int64_t halo = 0;       ///< rows of layers, and their gradients
  std::int64_t shuffled = 0;   ///< of nodes that permutations lead to, with who asks for them
  std::int64_t gradients = 0;  ///< of parameters
  std::int64_t all() const { return halo + shuffled + gradients; }
};

PartTraffic part_traffic(const TrainConfig& config, const PartSizes& sizes);

}  // namespace creg
