// GAT: heads of attention over a node's in-neighbours and itself, concatenated.
#include "ops/gat.h"

#include <torch/types.h>

#include <vector>

#include "nn/layers/activation.h"
#include "nn/layers/encoders.h"

namespace creg {
namespace {

struct GatLayer {
  at::Tensor weight;            // [in, width]
  at::Tensor attention_source;  // [heads, width / heads]
  at::Tensor attention_target;
  at::Tensor bias;
  ActivationLayer activation;
};

class Gat final : public Encoder {
 public:
  Gat(const EncoderOptions& options, std::vector<GatLayer> layers)
      : dropout_(options.dropout),
        attention_dropout_(options.attention_dropout),
        layers_(std::move(layers)) {}

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight);
  }

  std::int64_t first_width() const override { return layers_.front().weight.size(1); }

  Projected project(const FeatureMatrix& features, const Hops& /*hops*/,
                    const EncoderPass& pass) const override {
    return {multiply(seen_features(features, dropout_, pass))};
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    at::Tensor x = projected.rows;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const GatLayer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = at::mm(seen_rows(x, dropout_, pass, l), layer.weight);
      const at::Tensor order = l == 0 ? pass.order : at::Tensor();
      x = gat_aggregate(hops.of_layer(l), x, layer.attention_source, layer.attention_target,
                        {.order = order, .mask = attention_mask(hops.of_layer(l), l, pass)});
      x = layer.activation.after_sum(x, layer.bias, pass, l);
    }
    return x;
  }

 private:
  at::Tensor attention_mask(const SparseMatrix& pattern, int l, const EncoderPass& pass) const {
    if (!pass.training || attention_dropout_ == 0) return {};
    const std::int64_t heads = layers_[static_cast<std::size_t>(l)].attention_source.size(0);
    return row_mask(pattern.forward().offsets.device(), pattern.nonzeros(), heads,
                    {attention_dropout_, pass.noise, 2 * static_cast<std::uint32_t>(l) + 1});
  }

  double dropout_;
  double attention_dropout_;
  std::vector<GatLayer> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_gat(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<GatLayer> layers;
  const std::int64_t heads = options.heads;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = l == 0 ? features : options.width(l - 1);
    const std::int64_t out = options.width(l);
    const std::int64_t width = out / heads;
    // The fans of the attention vectors are their own two dimensions.
    const double attention_bound = glorot_bound(heads, width, options.gain);
    layers.push_back(
        {parameters.uniform(layer_name(l, "weight"), {in, out},
                            glorot_bound(in, out, options.gain)),
         parameters.uniform(layer_name(l, "attention_source"), {heads, width}, attention_bound),
         parameters.uniform(layer_name(l, "attention_target"), {heads, width}, attention_bound),
         parameters.constant(layer_name(l, "bias"), {out}, 0),
         ActivationLayer(options, l, parameters)});
  }
  return std::make_unique<Gat>(options, std::move(layers));
}

}  // namespace creg
