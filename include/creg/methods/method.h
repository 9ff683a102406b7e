// A method: which seeds, which pairs, which loss.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "creg/contrast/epoch_pass.h"
#include "creg/methods/entry.h"
#include "creg/nn/parameter_list.h"

namespace creg {

/// What a method makes of one step. The numbers stay tensors of one value, wherever they were
/// computed; undefined ones count as 0.
struct EpochLoss {
  at::Tensor loss;            ///< differentiable
  at::Tensor positive_sigma;  ///< mean sigma of the positives' scores
  at::Tensor negative_sigma;
  std::int64_t anchors = 0;  ///< nodes the loss is a mean over
};

class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  virtual EpochLoss loss(EpochPass& pass) = 0;
  /// Whether it looks at the embeddings of the nodes' neighbours, which a batch must then encode.
  virtual bool sees_neighbours() const { return true; }
  /// Whether there is nothing to learn from a graph without edges.
  virtual bool needs_edges() const { return false; }
  /// Scores of every class for every node [nodes, classes], where the method has a classifier of
  /// its own; else undefined.
  virtual at::Tensor class_scores(EpochPass& /*pass*/) { return {}; }
  /// The learning rate of an epoch as a share of the run's.
  virtual double rate(int /*epoch*/) const { return 1; }
  /// Whether the optimiser forgets what it knows before this epoch: a round begins.
  virtual bool starts_afresh(int /*epoch*/) const { return false; }
  /// Whether a step of this epoch differs from the one before in its random draws, Adam's rate and
  /// moving() alone: a GPU then records it once. What it keeps between steps stays in its place.
  virtual bool repeats(int /*epoch*/) const { return false; }
  /// A number of its own that changes from epoch to epoch, where it has one: ops that take it (a
  /// slow copy's share, a Laplacian's teleport probability) find it anew in a recorded step.
  virtual double moving(int /*epoch*/) const { return 0; }
  /// Whether weight decay pulls at this parameter.
  virtual bool decays(const std::string& /*parameter*/) const { return true; }
  /// What must survive a restart beside the parameters; values are tensors of any type.
  virtual std::vector<NamedTensor> state() const { return {}; }
  virtual void restore(const std::vector<NamedTensor>& /*state*/) {}
  /// Whether other steps than those a round starts with change what state() tells: a run then looks
  /// at every one of them before it starts the next.
  virtual bool steps_change_state() const { return !state().empty(); }
};

/// What MethodEntry::make wants, for a class with such a constructor.
template <class M>
std::unique_ptr<Method> made_by(const MethodOptions& options, ParameterList& parameters) {
  return std::make_unique<M>(options, parameters);
}

}  // namespace creg
