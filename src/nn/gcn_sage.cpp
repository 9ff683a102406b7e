// GCN: H' = act(Â H W + b). SAGE with GCN aggregation is the same with the mean over a node and its
// neighbours, and another start.
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "nn/activation.h"
#include "nn/encoders.h"

namespace creg {
namespace {

struct Layer {
  at::Tensor weight;  // [in, dim]
  at::Tensor bias;
  ActivationLayer activation;
};

class LinearAggregation final : public Encoder {
 public:
  LinearAggregation(Aggregation aggregation, std::vector<Layer> layers)
      : aggregation_(aggregation), layers_(std::move(layers)) {}

  Aggregation aggregation() const override { return aggregation_; }

  at::Tensor project(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight);
  }

  at::Tensor propagate(const Hops& hops, const at::Tensor& projected,
                       const EncoderPass& pass) const override {
    at::Tensor x = projected;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const Layer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = at::mm(x, layer.weight);
      x = layer.activation.after_product(hops.of_layer(l), x, layer.bias,
                                         l == 0 ? pass.order : at::Tensor(), pass, l);
    }
    return x;
  }

 private:
  Aggregation aggregation_;
  std::vector<Layer> layers_;
};

/// How the layers of an encoder start: the gain of their weights, and the bound of their biases
/// for a layer with `in` inputs.
struct Start {
  double gain = 1;
  double (*bias_bound)(std::int64_t in) = nullptr;
};

std::unique_ptr<Encoder> make_layers(Aggregation aggregation, const Start& start,
                                     const EncoderOptions& options, std::int64_t features,
                                     ParameterList& parameters) {
  std::vector<Layer> layers;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = l == 0 ? features : options.dim;
    layers.push_back(
        {parameters.uniform(layer_name(l, "weight"), {in, options.dim},
                            glorot_bound(in, options.dim, start.gain)),
         parameters.uniform(layer_name(l, "bias"), {options.dim}, start.bias_bound(in)),
         ActivationLayer(options.activation, options.dim, layer_name(l, "slope"), parameters)});
  }
  return std::make_unique<LinearAggregation>(aggregation, std::move(layers));
}

double no_bound(std::int64_t /*in*/) {
  return 0;
}

}  // namespace

std::unique_ptr<Encoder> make_gcn(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  return make_layers(Aggregation::gcn, {1, no_bound}, options, features, parameters);
}

std::unique_ptr<Encoder> make_sage(const EncoderOptions& options, std::int64_t features,
                                   ParameterList& parameters) {
  return make_layers(Aggregation::mean, {std::sqrt(2.0), linear_bound}, options, features,
                     parameters);
}

}  // namespace creg
