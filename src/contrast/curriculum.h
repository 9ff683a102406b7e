// LC's curriculum: training starts with the nodes whose similarities are clearest and takes in more
// every round.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace creg {

/// Where an epoch lies among the rounds. Epochs count from 0.
struct Round {
  int number = 0;      ///< from 0
  bool starts = true;  ///< this is its first epoch
  std::int64_t seeds = 0;
};

/// `rounds` rounds of ceil(epochs / rounds) epochs; round number r trains on the (r + 1) / rounds
/// share of the nodes.
Round round_of(int epoch, int epochs, int rounds, std::int64_t nodes);

/// The `count` nodes of smallest entropy, ascending by number: int32. Of equals the smaller number.
at::Tensor clearest_nodes(const at::Tensor& entropies, std::int64_t count);

/// The learning rate of every round but the first is this share of the base rate.
inline constexpr double later_round_rate = 0.5;

}  // namespace creg
