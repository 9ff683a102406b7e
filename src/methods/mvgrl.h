// MVGRL's discrimination between a graph's edges and its diffusion, which GDCL starts from.
#pragma once

#include "creg/methods/method.h"
#include "nn/dual_encoder.h"

namespace creg {

/// Its trained matrix.
MethodMemory memory_of_cross_view(const MethodOptions& options);

/// The encoder of a method whose entry admits the dual one alone.
const DualEncoder& dual_encoder(const EpochPass& pass);

/// Nodes of either view with the summary of the other, s = sigma(mean of its rows), against nodes
/// with shuffled features, by h·W s.
class CrossView {
 public:
  CrossView(const MethodOptions& options, ParameterList& parameters);

  EpochLoss loss(EpochPass& pass) const;

 private:
  LogForm log_;
  at::Tensor weight_;  // [dim, dim]
};

}  // namespace creg
