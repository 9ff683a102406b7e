// Encoders: features and edges in, one vector per node out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/core/random.h"
#include "creg/nn/encoder_options.h"
#include "creg/nn/inputs.h"
#include "creg/nn/parameter_list.h"

namespace creg {

/// How one pass through an encoder differs from the plain one.
struct EncoderPass {
  at::Tensor
      order;  ///< int32 permutation: the features' rows are taken in this order; or undefined
  bool training = false;  ///< dropout drops, RReLU draws its slopes
  RandomKey noise;        ///< from the first 64 bits of this stream, whose epoch is the step's
  /// int32: the number in the whole graph of each row of a part, by which it draws; else undefined.
  at::Tensor numbers;
};

/// Where an encoder's layers start from: the features' product with the first weights or, where a
/// batch's first hop leaves few of many rows, the features as they are, to be multiplied after it.
struct Projected {
  at::Tensor rows;
  bool multiplied = true;
};

/// A first product with the features, then everything that sees the graph. A permutation of the
/// features' rows commutes with the first part, so that clean and corrupted passes share it.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// [N, first_width()]: the product of the features with the first layer's weights.
  virtual at::Tensor multiply(const FeatureMatrix& features) const = 0;
  virtual std::int64_t first_width() const = 0;
  /// What the layers start from, whose first one gathers by the first of `hops`. Where the pass is
  /// of training, values of the features are dropped; passes that start from the same rows share
  /// what was dropped.
  virtual Projected project(const FeatureMatrix& features, const Hops& hops,
                            const EncoderPass& pass) const = 0;
  /// The embedding, [rows of the last hop, dim], from what `project` returned for hops with the
  /// same first shape.
  virtual at::Tensor propagate(const Hops& hops, const Projected& projected,
                               const EncoderPass& pass) const = 0;
  /// Layer `layer` alone, evaluated: what it makes of the rows before it (for layer 0 the features
  /// or their product) by a hop that may have fewer rows than columns. A Bug where
  /// runs_in_batches() says no.
  virtual at::Tensor evaluate_layer(int layer, const SparseMatrix& hop, const Projected& x) const;
};

/// The encoder with fresh parameters, which are added to `parameters` under "encoder.". A table
/// needs the number of nodes.
std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, std::int64_t features,
                                      ParameterList& parameters, std::int64_t nodes = 0);

}  // namespace creg
