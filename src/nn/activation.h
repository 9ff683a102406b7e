// The activation after a layer, fused with the sum before it where that pays.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "creg/nn/encoder.h"
#include "creg/ops/aggregate.h"

namespace creg {

class ActivationLayer {
 public:
  /// A PReLU's slopes become a parameter called `name`.
  ActivationLayer(ActivationKind kind, std::int64_t width, const std::string& name,
                  ParameterList& parameters);

  /// act(matrix · x + bias); `layer` tells the layers' random slopes apart.
  at::Tensor after_product(const SparseMatrix& matrix, const at::Tensor& x, const at::Tensor& bias,
                           const at::Tensor& order, const EncoderPass& pass, int layer) const;
  /// act(x + bias).
  at::Tensor after_sum(const at::Tensor& x, const at::Tensor& bias, const EncoderPass& pass,
                       int layer) const;

 private:
  at::Tensor plain(const at::Tensor& x, const EncoderPass& pass, int layer) const;

  ActivationKind kind_;
  at::Tensor slope_;  // defined for what the fused kernels know
};

}  // namespace creg
