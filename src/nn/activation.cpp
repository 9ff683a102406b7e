#include "nn/activation.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "nn/encoders.h"

namespace creg {

ActivationLayer::ActivationLayer(ActivationKind kind, std::int64_t width, bool layer_norm,
                                 int layer, ParameterList& parameters)
    : kind_(kind) {
  constexpr double first_slope = 0.25;
  const std::string name = layer_name(layer, "slope");
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
  if (layer_norm) {
    scale_ = parameters.constant(layer_name(layer, "norm_scale"), {width}, 1);
    shift_ = parameters.constant(layer_name(layer, "norm_shift"), {width}, 0);
  }
}

at::Tensor ActivationLayer::normalised(const at::Tensor& x) const {
  return at::layer_norm(x, {x.size(1)}, scale_, shift_);
}

at::Tensor ActivationLayer::after_product(const SparseMatrix& matrix, const at::Tensor& x,
                                          const at::Tensor& bias, const at::Tensor& order,
                                          const EncoderPass& pass, int layer) const {
  if (scale_.defined()) {
    return after_sum(aggregate(matrix, x, {bias, {}}, order), {}, pass, layer);
  }
  return plain(aggregate(matrix, x, {bias, slope_}, order), pass, layer);
}

at::Tensor ActivationLayer::after_sum(const at::Tensor& x, const at::Tensor& bias,
                                      const EncoderPass& pass, int layer) const {
  if (scale_.defined()) {
    const at::Tensor rows = normalised(bias.defined() ? at::add(x, bias) : x);
    return slope_.defined() ? activate(rows, {{}, slope_}) : plain(rows, pass, layer);
  }
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
