// What ends a layer: normalisation of rows and activation, fused with the sum before them where
// that pays.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/nn/encoder.h"
#include "creg/ops/aggregate.h"

namespace creg {

class ActivationLayer {
 public:
  /// For layer `layer`, by whose name a PReLU's slopes and a normalisation's scale and shift become
  /// parameters.
  ActivationLayer(ActivationKind kind, std::int64_t width, bool layer_norm, int layer,
                  ParameterList& parameters);
  ActivationLayer(const EncoderOptions& options, int layer, ParameterList& parameters)
      : ActivationLayer(options.activation_after(layer), options.width(layer), options.layer_norm,
                        layer, parameters) {}

  /// act(matrix · x + bias); `layer` tells the layers' random slopes apart.
  at::Tensor after_product(const SparseMatrix& matrix, const at::Tensor& x, const at::Tensor& bias,
                           const at::Tensor& order, const EncoderPass& pass, int layer) const;
  /// act(x + bias).
  at::Tensor after_sum(const at::Tensor& x, const at::Tensor& bias, const EncoderPass& pass,
                       int layer) const;

 private:
  at::Tensor plain(const at::Tensor& x, const EncoderPass& pass, int layer) const;

  at::Tensor normalised(const at::Tensor& x) const;

  ActivationKind kind_;
  at::Tensor slope_;  // defined for what the fused kernels know
  at::Tensor scale_;  // of the normalisation; undefined: there is none
  at::Tensor shift_;
};

}  // namespace creg
