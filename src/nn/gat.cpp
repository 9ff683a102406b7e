// GAT: heads of attention over a node's in-neighbours and itself, concatenated.
#include "creg/ops/gat.h"

#include <torch/types.h>

#include <vector>

#include "nn/activation.h"
#include "nn/encoders.h"

namespace creg {
namespace {

struct Layer {
  at::Tensor weight;            // [in, dim]
  at::Tensor attention_source;  // [heads, dim / heads]
  at::Tensor attention_target;
  at::Tensor bias;
  ActivationLayer activation;
};

class Gat final : public Encoder {
 public:
  explicit Gat(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  Aggregation aggregation() const override { return Aggregation::attention; }

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight);
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    at::Tensor x = projected.rows;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const Layer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = at::mm(x, layer.weight);
      const at::Tensor order = l == 0 ? pass.order : at::Tensor();
      x = gat_aggregate(hops.of_layer(l), x, layer.attention_source, layer.attention_target,
                        {.order = order});
      x = layer.activation.after_sum(x, layer.bias, pass, l);
    }
    return x;
  }

 private:
  std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_gat(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<Layer> layers;
  const std::int64_t heads = options.heads;
  const std::int64_t width = options.dim / heads;
  // The fans of the attention vectors are their own two dimensions.
  const double attention_bound = glorot_bound(heads, width);
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = l == 0 ? features : options.dim;
    layers.push_back(
        {parameters.uniform(layer_name(l, "weight"), {in, options.dim},
                            glorot_bound(in, options.dim)),
         parameters.uniform(layer_name(l, "attention_source"), {heads, width}, attention_bound),
         parameters.uniform(layer_name(l, "attention_target"), {heads, width}, attention_bound),
         parameters.constant(layer_name(l, "bias"), {options.dim}, 0),
         ActivationLayer(options.activation, options.dim, layer_name(l, "slope"), parameters)});
  }
  return std::make_unique<Gat>(std::move(layers));
}

}  // namespace creg
