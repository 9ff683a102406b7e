// An encoder with the parameters of a checkpoint.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "creg/graph/graph.h"
#include "creg/nn/encoder.h"
#include "creg/train/config.h"
#include "train/checkpoint.h"

namespace creg {

struct LoadedEncoder {
  TrainConfig config;  ///< of the run that kept it
  ParameterList parameters{0};
  std::unique_ptr<Encoder> encoder;
};

/// The best parameters so far of the run, for a graph of the same width of features; another width
/// is an input error that names both, and `file`.
/// A program's own encoder is `added`, where it has that name.
LoadedEncoder load_encoder(const Context& context, const Checkpoint& kept, const std::string& file,
                           const Graph& graph,
                           const std::shared_ptr<const AddedEncoder>& added = nullptr);

/// What a checkpoint keeps for each of these parameters, in their order. A name that is missing and
/// another shape or type are input errors that name `file`, as is a name too many where `all` of
/// what is kept must be theirs.
struct Kept {
  std::string file;
  std::string section;  ///< of the file: model, best_model, moment1, moment2
  bool all = true;
};
std::vector<NamedTensor> fitting(const std::vector<NamedTensor>& parameters,
                                 const std::vector<NamedTensor>& values, const Kept& kept);

/// Copies values into parameters of the same names, in the same order.
void put_values(const std::vector<NamedTensor>& parameters, const std::vector<NamedTensor>& values);

/// Values of their own.
std::vector<NamedTensor> copies(const std::vector<NamedTensor>& tensors);

/// The configuration kept in a checkpoint, without its seed.
TrainConfig config_of(const Checkpoint& kept);

}  // namespace creg
