// GCN: H' = act(Â H W + b). SAGE with GCN aggregation is the same with the mean over a node and its
// neighbours, and another start.
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "nn/layers/activation.h"
#include "nn/layers/encoders.h"

namespace creg {
namespace {

struct LinearLayer {
  at::Tensor weight;  // [in, dim]
  at::Tensor bias;
  ActivationLayer activation;
};

class LinearAggregation final : public Encoder {
 public:
  LinearAggregation(const EncoderOptions& options, std::vector<LinearLayer> layers)
      : dropout_(options.dropout), layers_(std::move(layers)) {}

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return features.times(layers_.front().weight);
  }

  std::int64_t first_width() const override { return layers_.front().weight.size(1); }

  Projected project(const FeatureMatrix& features, const Hops& hops,
                    const EncoderPass& pass) const override {
    const FeatureMatrix seen = seen_features(features, dropout_, pass);
    // A part has more columns than rows too, by its halo: few, and rows of others cost less when
    // they are multiplied.
    const bool gathered = !hops.of_part() && gathers_first(hops.of_layer(0));
    if (!seen.sparse() && gathered) return {seen.dense(), false};
    return {multiply(seen)};
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    Projected x = projected;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      if (l > 0) x.rows = seen_rows(x.rows, dropout_, pass, l);
      if (l > 0 && hops.of_part()) {
        x = {hops.with_halo(at::mm(x.rows, layers_[static_cast<std::size_t>(l)].weight))};
      }
      x = {apply(l, hops.of_layer(l), x, l == 0 ? pass.order : at::Tensor(), pass), false};
    }
    return x.rows;
  }

  at::Tensor evaluate_layer(int layer, const SparseMatrix& hop, const Projected& x) const override {
    return apply(layer, hop, x, {}, {});
  }

 private:
  /// The product with the weights commutes with the sum over neighbours, and comes after it where
  /// that leaves fewer rows.
  static bool gathers_first(const SparseMatrix& hop) { return hop.rows() < hop.cols(); }

  at::Tensor apply(int l, const SparseMatrix& hop, const Projected& x, const at::Tensor& order,
                   const EncoderPass& pass) const {
    const LinearLayer& layer = layers_[static_cast<std::size_t>(l)];
    if (!x.multiplied && gathers_first(hop)) {
      const at::Tensor gathered = aggregate(hop, x.rows, {}, order);
      return layer.activation.after_sum(at::mm(gathered, layer.weight), layer.bias, pass, l);
    }
    const at::Tensor rows = x.multiplied ? x.rows : at::mm(x.rows, layer.weight);
    return layer.activation.after_product(hop, rows, layer.bias, order, pass, l);
  }

  double dropout_;
  std::vector<LinearLayer> layers_;
};

/// How the layers of an encoder start: the gain of their weights, and the bound of their biases
/// for a layer with `in` inputs.
struct Start {
  double gain = 1;
  double (*bias_bound)(std::int64_t in) = nullptr;
};

std::unique_ptr<Encoder> make_layers(const Start& start, const EncoderOptions& options,
                                     std::int64_t features, ParameterList& parameters) {
  std::vector<LinearLayer> layers;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = options.inputs(l, features);
    const std::int64_t out = options.width(l);
    layers.push_back({parameters.uniform(layer_name(l, "weight"), {in, out},
                                         glorot_bound(in, out, options.gain * start.gain)),
                      parameters.uniform(layer_name(l, "bias"), {out}, start.bias_bound(in)),
                      ActivationLayer(options, l, parameters)});
  }
  return std::make_unique<LinearAggregation>(options, std::move(layers));
}

double no_bound(std::int64_t /*in*/) {
  return 0;
}

}  // namespace

std::unique_ptr<Encoder> make_gcn(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  return make_layers({1, no_bound}, options, features, parameters);
}

std::unique_ptr<Encoder> make_sage(const EncoderOptions& options, std::int64_t features,
                                   ParameterList& parameters) {
  return make_layers({std::sqrt(2.0), linear_bound}, options, features, parameters);
}

}  // namespace creg
