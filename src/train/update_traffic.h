// What an update by several ranks costs the network.
#pragma once

#include <cstdint>

namespace creg {

/// Bytes that a rank sends to the others for an update of so many batches, by a model with so many
/// numbers to train: of every batch of its own the shares of the others, and its share of the sum
/// to each of them; and the statistics. Rank 0 has the most batches.
std::int64_t bytes_of_update(std::int64_t numbers, std::int64_t batches, int ranks, int rank);

}  // namespace creg
