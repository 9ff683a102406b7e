// GraphMAE: nodes lose their features, and a decoder must find them again from the embeddings of
// the others: mean over masked nodes of (1 - cos(x_i, x̂_i))^sharpness.
#include <torch/types.h>

#include <cmath>

#include "contrast/node_mask.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "creg/ops/aggregate.h"
#include "nn/dropout.h"
#include "ops/csr.h"
#include "ops/gat.h"
#include "ops/row_choice.h"
#include "ops/row_norms.h"

namespace creg {
namespace {

/// The pass through the encoder with nodes masked; the clean and the corrupted one are 0 and 1.
constexpr std::uint64_t masked_pass = 2;
/// Parts of the dropout's seed that no encoder has as many layers as to use.
constexpr std::uint32_t decoder_rows = 1U << 20U;
constexpr std::uint32_t decoder_attention = decoder_rows + 1;

/// One layer of attention with one head, from embeddings back to features.
class Decoder {
 public:
  Decoder(const EncoderOptions& encoder, std::int64_t features, ParameterList& parameters)
      : dropout_(encoder.dropout), attention_dropout_(encoder.attention_dropout) {
    const std::int64_t dim = encoder.dim;
    const double gain = std::sqrt(2.0);
    between_ = parameters.uniform("decoder.between", {dim, dim}, linear_bound(dim));
    weight_ =
        parameters.uniform("decoder.weight", {dim, features}, glorot_bound(dim, features, gain));
    const double bound = glorot_bound(features, features, gain);
    attention_source_ = parameters.uniform("decoder.attention_source", {1, features}, bound);
    attention_target_ = parameters.uniform("decoder.attention_target", {1, features}, bound);
    bias_ = parameters.constant("decoder.bias", {features}, 0);
  }

  /// All nodes' features from the embeddings of visible ones: those of masked nodes count as 0.
  at::Tensor features(const SparseMatrix& pattern, const NodeMask& mask,
                      const at::Tensor& embedding, const EncoderPass& pass) const {
    // A row of zeros stays one under all products, so that only visible rows take part in them.
    const SparseMatrix take = choice_matrix(mask.visible, embedding.size(0));
    at::Tensor rows = at::mm(aggregate(take, embedding), between_);
    GatOptions options;
    if (pass.training) {
      rows = dropped_rows(rows, {dropout_, pass.noise, decoder_rows});
      if (attention_dropout_ > 0) {
        options.mask = row_mask(rows.device(), pattern.nonzeros(), 1,
                                {attention_dropout_, pass.noise, decoder_attention});
      }
    }
    const at::Tensor z = aggregate(take.transposed_matrix(), at::mm(rows, weight_));
    return gat_aggregate(pattern, z, attention_source_, attention_target_, options) + bias_;
  }

 private:
  double dropout_;
  double attention_dropout_;
  at::Tensor between_;  // [dim, dim]
  at::Tensor weight_;   // [dim, features]
  at::Tensor attention_source_;
  at::Tensor attention_target_;
  at::Tensor bias_;
};

class GraphMae final : public Method {
 public:
  GraphMae(const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder),
        mask_{.rate = options.own.real("mask_rate"), .replace = options.own.real("replace_rate")},
        sharpness_(options.own.real("sharpness")),
        drop_edges_(options.views.drop_edges1),
        token_(parameters.constant("token", {1, options.features}, 0)),
        decoder_(options.encoder, options.features, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    invariant(!pass.inputs().batch, "graphmae is not trained in batches");
    look_at(pass);
    const GraphInputs& inputs = pass.inputs();
    const NodeMask mask = draw_node_mask(pass.context(), inputs.nodes, mask_, pass.settings().seed,
                                         pass.settings().step);
    const EncoderPass own = pass.encoder_pass(masked_pass);
    const at::Tensor rows =
        pass.finished(pass.encoder().propagate(hops(pass), {masked_start(pass, mask, own)}, own));
    const at::Tensor found = decoder_.features(pattern_, mask, rows, own);
    const at::Tensor& nodes = mask.nodes;
    // For a masked node without visible neighbours the decoder has nothing but its bias, 0 at the
    // start: the first gradient of it is huge, and Adam moves it little from then on. The published
    // results come of that (docs/methods.md).
    const at::Tensor cosines =
        (unit_rows(found.index_select(0, nodes)) * target_.index_select(0, nodes)).sum(1);
    // Rounding may put a cosine above 1, whose distance has no power in general.
    const at::Tensor loss = (1 - cosines).clamp_min(0).pow(sharpness_).mean();
    return {loss, cosines.detach().sigmoid().mean(), {}, nodes.numel()};
  }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  /// What every epoch needs of the graph.
  void look_at(const EpochPass& pass) {
    if (target_.defined()) return;
    const at::NoGradGuard no_grad;
    const GraphInputs& inputs = pass.inputs();
    target_ = unit_rows(inputs.features.dense());
    pattern_ = encoder_.kind == EncoderKind::gat
                   ? inputs.hops.of_layer(0)
                   : aggregation_matrix(pass.context(), inputs.adjacency, /*directed=*/true,
                                        Aggregation::attention);
  }

  Hops hops(const EpochPass& pass) const {
    const GraphInputs& inputs = pass.inputs();
    if (drop_edges_ == 0) return inputs.hops;
    const CsrTensors kept =
        drop_edges(pass.context(), inputs.adjacency, drop_edges_,
                   {.seed = pass.settings().seed, .step = pass.settings().step});
    // Of an undirected edge one direction may be left.
    return encoder_hops(pass.context(), kept, /*directed=*/true, encoder_);
  }

  /// The mask commutes with the first product, which the clean pass shares.
  at::Tensor masked_start(EpochPass& pass, const NodeMask& mask, const EncoderPass& own) const {
    // With dropout every hidden node sees what was left of the token for it.
    const bool drops = encoder_.dropout > 0 && own.training;
    const auto count = drops ? mask.hidden.numel() : 1;
    const FeatureMatrix tokens(token_.expand({count, token_.size(1)}));
    const Projected token_rows = pass.encoder().project(tokens, pass.inputs().hops, own);
    return masked_rows(mask, pass.projected().rows, token_rows.rows);
  }

  EncoderOptions encoder_;
  MaskOptions mask_;
  double sharpness_;
  double drop_edges_;
  at::Tensor token_;  // [1, features]
  Decoder decoder_;
  at::Tensor target_;     // the features, rows of length 1; once the graph has been seen
  SparseMatrix pattern_;  // whom the decoder attends to
};

/// The rows that the passes start from, dropped tokens, and the decoded features on their way to
/// the loss and back. The clean pass counts only where Contrast-Reg asks for it.
MethodMemory memory_of_masks(const MethodOptions& options) {
  const EncoderOptions& encoder = options.encoder;
  const double masked = options.own.real("mask_rate");
  const double tokens = encoder.dropout > 0 ? 2 * masked : 0;
  const double decoded = (1 - masked) + 3 + 4 * masked + 2;
  const double inside = (1 - masked) * (encoder.dropout > 0 ? 4 : 2);
  const std::int64_t d = options.dim;
  return {.parameters = d * d + (d + 4) * options.features,
          .passes = options.contrast_reg ? 1 : 0,
          .numbers_per_node = (tokens + decoded) * static_cast<double>(options.features) +
                              inside * static_cast<double>(d) +
                              (2 + masked) * static_cast<double>(encoder.width(0))};
}

}  // namespace

namespace methods {

MethodEntry graphmae() {
  return {
      .name = "graphmae",
      .about = "the features of masked nodes, from what is left (masked autoencoder)",
      .uses = {"drop_edges1"},
      .parameters = {own_real("mask_rate", 0.5, 0.001, 0.999,
                              "share of the nodes whose features are masked"),
                     own_real(
                         "replace_rate", 0, 0, 1,
                         "share of these that show another node's features instead of the token"),
                     own_real("sharpness", 3, 0.1, 100, "the loss is (1 - cosine) to this power")},
      .memory = memory_of_masks,
      .make = made_by<GraphMae>};
}

}  // namespace methods
}  // namespace creg
