// GIN: H' = act(MLP(h_i + sum of neighbours)), MLP = Linear(in, 2d) - ELU - Linear(2d, d). The
// first linear map commutes with the sum, so it is applied first, where the features are sparse.
#include <torch/types.h>

#include <vector>

#include "nn/activation.h"
#include "nn/encoders.h"

namespace creg {
namespace {

struct Layer {
  at::Tensor weight1;  // [in, 2d]
  at::Tensor bias1;
  at::Tensor weight2;  // [2d, d]
  at::Tensor bias2;
  ActivationLayer activation;
};

class Gin final : public Encoder {
 public:
  explicit Gin(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  Aggregation aggregation() const override { return Aggregation::sum; }

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight1);
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    at::Tensor x = projected.rows;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const Layer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = at::mm(x, layer.weight1);
      const at::Tensor order = l == 0 ? pass.order : at::Tensor();
      x = at::elu(aggregate(hops.of_layer(l), x, {layer.bias1, {}}, order));
      x = layer.activation.after_sum(at::mm(x, layer.weight2), layer.bias2, pass, l);
    }
    return x;
  }

 private:
  std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_gin(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<Layer> layers;
  const std::int64_t wide = 2 * options.dim;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = l == 0 ? features : options.dim;
    layers.push_back(
        {parameters.uniform(layer_name(l, "weight1"), {in, wide}, linear_bound(in)),
         parameters.uniform(layer_name(l, "bias1"), {wide}, linear_bound(in)),
         parameters.uniform(layer_name(l, "weight2"), {wide, options.dim}, linear_bound(wide)),
         parameters.uniform(layer_name(l, "bias2"), {options.dim}, linear_bound(wide)),
         ActivationLayer(options.activation, options.dim, layer_name(l, "slope"), parameters)});
  }
  return std::make_unique<Gin>(std::move(layers));
}

}  // namespace creg
