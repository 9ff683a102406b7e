// Encoders made of one simple piece: a table, a pair of GCN layers, a GCN over two layers of nodes.
#include <torch/types.h>

#include "creg/core/error.h"
#include "nn/dual_encoder.h"
#include "nn/layers/activation.h"
#include "nn/layers/encoders.h"

namespace creg {

struct DualEncoder::Layer {
  at::Tensor weight;  // [in, dim]
  at::Tensor bias;
  ActivationLayer activation;
};

DualEncoder::DualEncoder(const EncoderOptions& options, std::int64_t features,
                         ParameterList& parameters)
    : dropout_(options.dropout) {
  for (int p = 0; p < 2; ++p) {
    parts_[static_cast<std::size_t>(p)] = std::make_unique<Layer>(
        Layer{parameters.uniform(layer_name(p, "weight"), {features, options.dim},
                                 glorot_bound(features, options.dim, options.gain)),
              parameters.constant(layer_name(p, "bias"), {options.dim}, 0),
              ActivationLayer(options.last_activation ? options.activation : ActivationKind::none,
                              options.dim, normalisation_of(options), p, parameters)});
  }
}

DualEncoder::~DualEncoder() = default;

at::Tensor DualEncoder::multiply(const FeatureMatrix& features) const {
  return features.times(at::cat({parts_[0]->weight, parts_[1]->weight}, 1));
}

std::int64_t DualEncoder::first_width() const {
  return 2 * parts_[0]->weight.size(1);
}

Projected DualEncoder::project(const FeatureMatrix& features, const Hops& /*hops*/,
                               const EncoderPass& pass) const {
  return {multiply(seen_features(features, dropout_, pass))};
}

at::Tensor DualEncoder::part(int which, const Hops& hops, const Projected& projected,
                             const EncoderPass& pass) const {
  const Layer& layer = *parts_.at(static_cast<std::size_t>(which));
  const std::int64_t dim = layer.weight.size(1);
  const at::Tensor rows = projected.rows.narrow(1, which * dim, dim);
  return layer.activation.after_product(hops.of_layer(which), rows, layer.bias, pass.order, pass,
                                        which);
}

at::Tensor DualEncoder::propagate(const Hops& hops, const Projected& projected,
                                  const EncoderPass& pass) const {
  return part(0, hops, projected, pass) + part(1, hops, projected, pass);
}

namespace {

class Table final : public Encoder {
 public:
  explicit Table(at::Tensor rows) : rows_(std::move(rows)) {}

  at::Tensor multiply(const FeatureMatrix& /*features*/) const override { return rows_; }
  std::int64_t first_width() const override { return rows_.size(1); }
  Projected project(const FeatureMatrix& /*features*/, const Hops& /*hops*/,
                    const EncoderPass& /*pass*/) const override {
    return {rows_};
  }
  at::Tensor propagate(const Hops& /*hops*/, const Projected& projected,
                       const EncoderPass& pass) const override {
    return pass.order.defined() ? projected.rows.index_select(0, pass.order) : projected.rows;
  }

 private:
  at::Tensor rows_;  // [nodes, dim]
};

/// Every node is there twice; the first layer takes both from the same features (encoder_hops).
class Multiplex final : public Encoder {
 public:
  explicit Multiplex(std::unique_ptr<Encoder> layers) : layers_(std::move(layers)) {}

  at::Tensor multiply(const FeatureMatrix& features) const override {
    return layers_->multiply(features);
  }
  std::int64_t first_width() const override { return layers_->first_width(); }
  Projected project(const FeatureMatrix& features, const Hops& hops,
                    const EncoderPass& pass) const override {
    return layers_->project(features, hops, pass);
  }
  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    const at::Tensor both = layers_->propagate(hops, projected, pass);
    const std::int64_t nodes = both.size(0) / 2;
    return (both.narrow(0, 0, nodes) + both.narrow(0, nodes, nodes)) / 2;
  }

 private:
  std::unique_ptr<Encoder> layers_;
};

}  // namespace

std::unique_ptr<Encoder> make_table(const EncoderOptions& options, std::int64_t nodes,
                                    ParameterList& parameters) {
  invariant(nodes > 0, "a table has a row per node");
  return std::make_unique<Table>(parameters.normal("encoder.table", {nodes, options.dim}, 1));
}

std::unique_ptr<Encoder> make_multiplex(const EncoderOptions& options, std::int64_t features,
                                        ParameterList& parameters) {
  return std::make_unique<Multiplex>(make_gcn(options, features, parameters));
}

}  // namespace creg
