// GAT: heads of attention over a node's in-neighbours and itself, concatenated.
#include "ops/gat.h"

#include <torch/types.h>

#include <vector>

#include "nn/layers/activation.h"
#include "nn/layers/layered_encoder.h"

namespace creg {
namespace {

struct GatLayer {
  at::Tensor weight;            // [in, width]
  at::Tensor attention_source;  // [heads, width / heads]
  at::Tensor attention_target;
  at::Tensor bias;
  double attention_dropout;
  ActivationLayer activation;

  at::Tensor gathered(const SparseMatrix& hop, const at::Tensor& rows, const at::Tensor& order,
                      const EncoderPass& pass, int l) const {
    GatOptions options{.order = order};
    if (pass.training && attention_dropout > 0) {
      options.mask =
          row_mask(rows.device(), hop.nonzeros(), attention_source.size(0),
                   {attention_dropout, pass.noise, 2 * static_cast<std::uint32_t>(l) + 1});
    }
    return activation.after_sum(
        gat_aggregate(hop, rows, attention_source, attention_target, options), bias, pass, l);
  }
};

}  // namespace

std::unique_ptr<Encoder> make_gat(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<GatLayer> layers;
  const std::int64_t heads = options.heads;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = options.inputs(l, features);
    const std::int64_t out = options.width(l);
    const std::int64_t width = out / heads;
    // The fans of the attention vectors are their own two dimensions.
    const double attention_bound = glorot_bound(heads, width, options.gain);
    layers.push_back(
        {parameters.uniform(layer_name(l, "weight"), {in, out},
                            glorot_bound(in, out, options.gain)),
         parameters.uniform(layer_name(l, "attention_source"), {heads, width}, attention_bound),
         parameters.uniform(layer_name(l, "attention_target"), {heads, width}, attention_bound),
         parameters.constant(layer_name(l, "bias"), {out}, 0), options.attention_dropout,
         ActivationLayer(options, l, parameters)});
  }
  return std::make_unique<LayeredEncoder<GatLayer>>(options.dropout, std::move(layers));
}

}  // namespace creg
