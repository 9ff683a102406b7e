// Encoders: features and edges in, one vector per node out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/nn/encoder_options.h"
#include "creg/nn/feature_matrix.h"
#include "creg/nn/hops.h"
#include "creg/nn/parameter_list.h"

namespace creg {

/// How one pass through an encoder differs from the plain one.
struct EncoderPass {
  at::Tensor
      order;  ///< int32 permutation: the features' rows are taken in this order; or undefined
  bool training = false;    ///< RReLU draws its slopes
  std::uint64_t noise = 0;  ///< from this seed
};

/// A first product with the features, then everything that sees the graph. A permutation of the
/// features' rows commutes with the first part, so that clean and corrupted passes share it.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  virtual Aggregation aggregation() const = 0;
  /// [N, .]: what the first layer makes of the features.
  virtual at::Tensor project(const FeatureMatrix& features) const = 0;
  /// [N, dim]: the embedding, from what `project` returned.
  virtual at::Tensor propagate(const Hops& hops, const at::Tensor& projected,
                               const EncoderPass& pass) const = 0;
};

/// The encoder with fresh parameters, which are added to `parameters` under "encoder.".
std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, std::int64_t features,
                                      ParameterList& parameters);

}  // namespace creg
