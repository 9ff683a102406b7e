#include "nn/activation.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "creg/core/error.h"

namespace creg {

ActivationLayer::ActivationLayer(ActivationKind kind, std::int64_t width, const std::string& name,
                                 ParameterList& parameters)
    : kind_(kind) {
  constexpr double first_slope = 0.25;
  switch (kind) {
    case ActivationKind::prelu:
      slope_ = parameters.constant(name, {width}, first_slope);
      break;
    case ActivationKind::prelu_shared:
      slope_ = parameters.constant(name, {1}, first_slope);
      break;
    case ActivationKind::relu:
      slope_ = at::zeros({1}, at::kFloat);
      break;
    case ActivationKind::elu:
    case ActivationKind::rrelu:
    case ActivationKind::none:
      break;
  }
}

at::Tensor ActivationLayer::after_product(const SparseMatrix& matrix, const at::Tensor& x,
                                          const at::Tensor& bias, const at::Tensor& order,
                                          const EncoderPass& pass, int layer) const {
  return plain(aggregate(matrix, x, {bias, slope_}, order), pass, layer);
}

at::Tensor ActivationLayer::after_sum(const at::Tensor& x, const at::Tensor& bias,
                                      const EncoderPass& pass, int layer) const {
  if (slope_.defined()) return activate(x, {bias, slope_});
  return plain(bias.defined() ? at::add(x, bias) : x, pass, layer);
}

at::Tensor ActivationLayer::plain(const at::Tensor& x, const EncoderPass& pass, int layer) const {
  if (kind_ == ActivationKind::elu) return at::elu(x);
  if (kind_ == ActivationKind::rrelu) {
    const auto seed = pass.noise * 1000003 + static_cast<std::uint64_t>(layer);
    return at::rrelu(x, 1.0 / 8, 1.0 / 3, pass.training,
                     at::make_generator<at::CPUGeneratorImpl>(seed));
  }
  return x;
}

}  // namespace creg
