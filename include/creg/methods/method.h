// A method: which seeds, which pairs, which loss.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/nn/encoder_options.h"
#include "creg/nn/parameter_list.h"

namespace creg {

/// What a method makes of one epoch.
struct EpochLoss {
  at::Tensor loss;  ///< scalar, differentiable
  double positive_sigma = 0;
  double negative_sigma = 0;
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
  /// Whether the optimiser forgets what it knows before this epoch.
  virtual bool starts_afresh(int /*epoch*/) const { return false; }
  /// Whether weight decay pulls at this parameter.
  virtual bool decays(const std::string& /*parameter*/) const { return true; }
  /// What must survive a restart beside the parameters; values are tensors of any type.
  virtual std::vector<NamedTensor> state() const { return {}; }
  virtual void restore(const std::vector<NamedTensor>& /*state*/) {}
};

struct MethodOptions {
  ContrastOptions contrast;
  ClusterContrastOptions clusters;
  ViewOptions views;
  WalkOptions walks;
  MaskOptions mask;
  EncoderOptions encoder;
  std::int64_t dim = 0;
  int epochs = 0;                ///< the most there will be: rounds are shares of it
  std::int64_t first_width = 0;  ///< Encoder::first_width()
  std::int64_t features = 0;     ///< columns
  std::int64_t nodes = 0;
  std::int64_t classes = 0;  ///< 0 without labels
};

/// A method of the catalogue (methods/catalogue.h) by name, with its own parameters added to
/// `parameters`.
std::unique_ptr<Method> make_method(const std::string& name, const MethodOptions& options,
                                    ParameterList& parameters);

}  // namespace creg
