// GIN: H' = act(MLP(h_i + sum of neighbours)), MLP = Linear(in, 2d) - ELU - Linear(2d, d). The
// first linear map commutes with the sum, so it is applied first, where the features are sparse.
#include <torch/types.h>

#include <vector>

#include "nn/layers/activation.h"
#include "nn/layers/layered_encoder.h"

namespace creg {
namespace {

struct GinLayer {
  at::Tensor weight;  // [in, 2d]
  at::Tensor bias1;
  at::Tensor weight2;  // [2d, d]
  at::Tensor bias2;
  ActivationLayer activation;

  at::Tensor gathered(const SparseMatrix& hop, const at::Tensor& rows, const at::Tensor& order,
                      const EncoderPass& pass, int l) const {
    const at::Tensor inside = at::elu(aggregate(hop, rows, {bias1, {}}, order));
    return activation.after_sum(at::mm(inside, weight2), bias2, pass, l);
  }
};

}  // namespace

std::unique_ptr<Encoder> make_gin(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters) {
  std::vector<GinLayer> layers;
  for (int l = 0; l < options.layers; ++l) {
    const std::int64_t in = options.inputs(l, features);
    const std::int64_t out = options.width(l);
    const std::int64_t wide = 2 * out;
    layers.push_back({parameters.uniform(layer_name(l, "weight1"), {in, wide}, linear_bound(in)),
                      parameters.uniform(layer_name(l, "bias1"), {wide}, linear_bound(in)),
                      parameters.uniform(layer_name(l, "weight2"), {wide, out}, linear_bound(wide)),
                      parameters.uniform(layer_name(l, "bias2"), {out}, linear_bound(wide)),
                      ActivationLayer(options, l, parameters)});
  }
  return std::make_unique<LayeredEncoder<GinLayer>>(options.dropout, std::move(layers));
}

}  // namespace creg
