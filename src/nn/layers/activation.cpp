#include "nn/layers/activation.h"

#include <torch/types.h>

#include <cmath>

#include "creg/core/random.h"
#include "nn/layers/encoders.h"
#include "ops/random.h"

namespace creg {
namespace {

/// Channels of mean 0 and variance 1 / their number, over the rows.
at::Tensor normalised_channels(const at::Tensor& rows) {
  // Far below the variances of products with features, even of rows brought to sum 1.
  constexpr double epsilon = 1e-8;
  const double scale = 1 / std::sqrt(static_cast<double>(rows.size(1)));
  return at::batch_norm(rows, {}, {}, {}, {}, true, 0, epsilon, false) * scale;
}

}  // namespace

ActivationLayer::ActivationLayer(ActivationKind kind, std::int64_t width, Normalisation norm,
                                 int layer, ParameterList& parameters)
    : kind_(kind), norm_(norm) {
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
      slope_ = at::zeros({1}, at::TensorOptions().dtype(at::kFloat).device(parameters.device()));
      break;
    case ActivationKind::elu:
    case ActivationKind::rrelu:
    case ActivationKind::none:
      break;
  }
  if (norm == Normalisation::rows) {
    scale_ = parameters.constant(layer_name(layer, "norm_scale"), {width}, 1);
    shift_ = parameters.constant(layer_name(layer, "norm_shift"), {width}, 0);
  }
}

at::Tensor ActivationLayer::after_product(const SparseMatrix& matrix, const at::Tensor& x,
                                          const at::Tensor& bias, const at::Tensor& order,
                                          const EncoderPass& pass, int layer) const {
  switch (norm_) {
    case Normalisation::rows:
      return after_sum(aggregate(matrix, x, {bias, {}}, order), {}, pass, layer);
    case Normalisation::channels:
      return after_sum(aggregate(matrix, x, {}, order), bias, pass, layer);
    case Normalisation::none:
      break;
  }
  return plain(aggregate(matrix, x, {bias, slope_}, order), pass, layer);
}

at::Tensor ActivationLayer::after_sum(const at::Tensor& x, const at::Tensor& bias,
                                      const EncoderPass& pass, int layer) const {
  switch (norm_) {
    case Normalisation::rows: {
      const at::Tensor sums = bias.defined() ? at::add(x, bias) : x;
      return activated(at::layer_norm(sums, {sums.size(1)}, scale_, shift_), {}, pass, layer);
    }
    case Normalisation::channels:
      return activated(normalised_channels(x), bias, pass, layer);
    case Normalisation::none:
      break;
  }
  return activated(x, bias, pass, layer);
}

at::Tensor ActivationLayer::activated(const at::Tensor& x, const at::Tensor& bias,
                                      const EncoderPass& pass, int layer) const {
  if (slope_.defined()) return activate(x, {bias, slope_});
  return plain(bias.defined() ? at::add(x, bias) : x, pass, layer);
}

at::Tensor ActivationLayer::plain(const at::Tensor& x, const EncoderPass& pass, int layer) const {
  if (kind_ == ActivationKind::elu) return at::elu(x);
  if (kind_ == ActivationKind::rrelu) {
    constexpr double smallest = 1.0 / 8;
    constexpr double largest = 1.0 / 3;
    if (!pass.training) return at::leaky_relu(x, (smallest + largest) / 2);
    const DrawKey key =
        DrawKey::of_noise(pass.noise, Purpose::activation_noise, static_cast<std::uint32_t>(layer));
    const at::Tensor slopes =
        draw_uniform(x.device(), x.size(0), x.size(1), largest - smallest, key, numbers_of(x, pass))
            .add_(smallest);
    return at::where(x.ge(0), x, x * slopes);
  }
  return x;
}

}  // namespace creg
