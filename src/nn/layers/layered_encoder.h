// Encoders of equal layers: each multiplies rows by its first weights, then gathers.
#pragma once

#include <torch/types.h>

#include <utility>
#include <vector>

#include "nn/layers/encoders.h"

namespace creg {

/// A Layer has `weight`, [in, .], and gathered(hop, rows, order, pass, number of the layer): what
/// it makes of rows that are multiplied by it.
template <class Layer>
class LayeredEncoder final : public Encoder {
 public:
  LayeredEncoder(double dropout, std::vector<Layer> layers)
      : dropout_(dropout), layers_(std::move(layers)) {}

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
      const Layer& layer = layers_[static_cast<std::size_t>(l)];
      if (l > 0) x = hops.with_halo(at::mm(seen_rows(x, dropout_, pass, l), layer.weight));
      x = layer.gathered(hops.of_layer(l), x, l == 0 ? pass.order : at::Tensor(), pass, l);
    }
    return x;
  }

 private:
  double dropout_;
  std::vector<Layer> layers_;
};

}  // namespace creg
