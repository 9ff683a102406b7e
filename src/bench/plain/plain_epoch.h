// The epoch as one writes it with tensor operations alone: dense features, one gather and one
// scatter per propagation, every score from rows that were gathered first. It computes the loss and
// the gradient of TrainingStep from the same parameters, draws and pairs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/parameter_list.h"
#include "creg/train/config.h"

namespace creg {

/// An input error for what the plain epoch does not know: it has GCN with a PReLU or ReLU, and all
/// nodes as seeds.
void check_plain_epoch(const TrainConfig& config);

class PlainEpoch {
 public:
  /// Starts from copies of `parameters`. `graph` has prepared features.
  PlainEpoch(const Context& context, const Graph& graph, const TrainConfig& config,
             const std::vector<NamedTensor>& parameters);
  ~PlainEpoch();

  /// Trains epoch number `epoch`; the loss before its step.
  double run(int epoch);

  std::vector<NamedTensor> parameters() const;
  /// Of inputs, parameters and Adam's moments.
  std::int64_t resident_bytes() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace creg
