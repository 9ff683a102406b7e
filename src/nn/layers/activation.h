// What ends a layer: normalisation and activation, fused with the sum before them where that pays.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/nn/encoder.h"
#include "creg/ops/aggregate.h"

namespace creg {

/// What a layer brings to one mean and spread before it is activated.
enum class Normalisation {
  none,
  rows,      ///< after the bias, with a learned scale and shift per channel
  channels,  ///< before the bias
};

inline Normalisation normalisation_of(const EncoderOptions& options) {
  if (options.channel_norm) return Normalisation::channels;
  return options.layer_norm ? Normalisation::rows : Normalisation::none;
}

class ActivationLayer {
 public:
  /// For layer `layer`, by whose name a PReLU's slopes and a normalisation's scale and shift become
  /// parameters.
  ActivationLayer(ActivationKind kind, std::int64_t width, Normalisation norm, int layer,
                  ParameterList& parameters);
  ActivationLayer(const EncoderOptions& options, int layer, ParameterList& parameters)
      : ActivationLayer(options.activation_after(layer), options.width(layer),
                        normalisation_of(options), layer, parameters) {}

  /// act(matrix · x + bias); `layer` tells the layers' random slopes apart.
  at::Tensor after_product(const SparseMatrix& matrix, const at::Tensor& x, const at::Tensor& bias,
                           const at::Tensor& order, const EncoderPass& pass, int layer) const;
  /// act(x + bias).
  at::Tensor after_sum(const at::Tensor& x, const at::Tensor& bias, const EncoderPass& pass,
                       int layer) const;

 private:
  /// act(x + bias), without normalisation.
  at::Tensor activated(const at::Tensor& x, const at::Tensor& bias, const EncoderPass& pass,
                       int layer) const;
  /// What the fused kernels do not know of the activation.
  at::Tensor plain(const at::Tensor& x, const EncoderPass& pass, int layer) const;

  ActivationKind kind_;
  Normalisation norm_;
  at::Tensor slope_;  // defined for what the fused kernels know
  at::Tensor scale_;  // of the normalisation of rows
  at::Tensor shift_;
};

}  // namespace creg
