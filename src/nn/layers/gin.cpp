// GIN: H' = act(MLP(h_i + sum of neighbours)), MLP = Linear(in, 2d) - ELU - Linear(2d, d). The
// first linear map commutes with the sum, so it is applied first, where the features are sparse.
#include <torch/types.h>

#include <vector>

#include "nn/layers/activation.h"
#include "nn/layers/encoders.h"

namespace creg {
namespace {

struct GinLayer {
  at::Tensor weight1;  // [in, 2d]
  at::Tensor bias1;
  at::Tensor weight2;  // [2d, d]
  at::Tensor bias2;
  ActivationLayer activation;
};

class Gin final : public Encoder {
 public:
  Gin(double dropout, std::vector<GinLayer> layers)
      : dropout_(dropout), layers_(std::move(layers)) {}

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight1);
  }

  std::int64_t first_width() const override { return layers_.front().weight1.size(1); }

  Projected project(const FeatureMatrix& features, const Hops& /*hops*/,
                    const EncoderPass& pass) const override {
    return {multiply(seen_features(features, dropout_, pass))};
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    at::Tensor x = projected.rows;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const GinLayer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = at::mm(seen_rows(x, dropout_, pass, l), layer.weight1);
      const at::Tensor order = l == 0 ? pass.order : at::Tensor();
      x = at::elu(aggregate(hops.of_layer(l), x, {layer.bias1, {}}, order));
      x = layer.activation.after_sum(at::mm(x, layer.weight2), layer.bias2, pass, l);
    }
    return x;
  }

 private:
  double dropout_;
  std::vector<GinLayer> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_gin(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<GinLayer> layers;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = l == 0 ? features : options.width(l - 1);
    const std::int64_t out = options.width(l);
    const std::int64_t wide = 2 * out;
    layers.push_back({parameters.uniform(layer_name(l, "weight1"), {in, wide}, linear_bound(in)),
                      parameters.uniform(layer_name(l, "bias1"), {wide}, linear_bound(in)),
                      parameters.uniform(layer_name(l, "weight2"), {wide, out}, linear_bound(wide)),
                      parameters.uniform(layer_name(l, "bias2"), {out}, linear_bound(wide)),
                      ActivationLayer(options, l, parameters)});
  }
  return std::make_unique<Gin>(options.dropout, std::move(layers));
}

}  // namespace creg
