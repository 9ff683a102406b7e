// GGD: every node must tell whether it comes from the graph or from the graph with shuffled
// features, by itself: its embedding goes through linear layers, and the sum of what comes out is
// its score. Binary cross entropy between the two groups.
#include <torch/types.h>

#include <string>
#include <vector>

#include "creg/contrast/dropped_view.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "ops/csr.h"

namespace creg {
namespace {

/// The sum over the outputs of linear layers is itself linear, h·w + c: the layers multiply one
/// vector instead of every row.
class GroupScore {
 public:
  GroupScore(std::int64_t layers, std::int64_t dim, ParameterList& parameters) {
    for (std::int64_t l = 0; l < layers; ++l) {
      const std::string name = "group." + std::to_string(l);
      weights_.push_back(parameters.uniform(name + ".weight", {dim, dim}, linear_bound(dim)));
      biases_.push_back(parameters.uniform(name + ".bias", {dim}, linear_bound(dim)));
    }
  }

  /// One number for every row, of each of the matrices.
  std::vector<at::Tensor> of(const std::vector<at::Tensor>& groups) const {
    at::Tensor weight = at::ones_like(biases_.front());
    at::Tensor constant = at::zeros({}, weight.options());
    for (std::size_t l = weights_.size(); l-- > 0;) {
      constant = constant + at::dot(biases_[l], weight);
      weight = at::mv(weights_[l], weight);
    }
    std::vector<at::Tensor> scores;
    for (const at::Tensor& rows : groups) scores.push_back(at::mv(rows, weight) + constant);
    return scores;
  }

 private:
  std::vector<at::Tensor> weights_;  // [dim, dim], first layer first
  std::vector<at::Tensor> biases_;
};

class Ggd final : public Method {
 public:
  Ggd(const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder),
        rates_(drop_rates(options.views, 0)),
        score_(options.own.integer("ggd_layers"), options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const std::vector<at::Tensor> scores = score_.of(groups(pass));
    const at::Tensor& real = scores[0];
    const at::Tensor& shuffled = scores[1];
    const at::Tensor loss = (at::softplus(-real).mean() + at::softplus(shuffled).mean()) / 2;
    return {loss, real.detach().sigmoid().mean(), shuffled.detach().sigmoid().mean(),
            pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  /// The nodes' embeddings, and those with shuffled features. Both have lost the same edges and
  /// columns, so that nothing but the order tells them apart.
  std::vector<at::Tensor> groups(EpochPass& pass) const {
    if (rates_.edges <= 0 && rates_.features <= 0) return {pass.nodes(), pass.corrupted()};
    const Hops hops = hops_of(pass);
    const Encoder& encoder = pass.encoder();
    const EncoderPass own = pass.encoder_pass(pass_of_view(0));
    const Projected start = encoder.project(dropped_features(pass, rates_, 0), hops, own);
    EncoderPass shuffled = pass.encoder_pass(pass_of_view(1));
    shuffled.order = pass.corruption();
    return {pass.finished(encoder.propagate(hops, start, own)),
            pass.finished(encoder.propagate(hops, start, shuffled))};
  }

  Hops hops_of(const EpochPass& pass) const {
    const GraphInputs& inputs = pass.inputs();
    if (rates_.edges <= 0) return inputs.node_hops;
    const CsrTensors kept =
        drop_edges(pass.context(), inputs.adjacency, rates_.edges,
                   {.seed = pass.settings().seed, .step = pass.settings().step});
    // Of an undirected edge one direction may be left.
    return encoder_hops(pass.context(), kept, /*directed=*/true, encoder_);
  }

  EncoderOptions encoder_;
  DropRates rates_;
  GroupScore score_;
};

void check_dropped_edges(const MethodOptions& options) {
  if (options.views.drop_edges1 <= 0) return;
  const EncoderKind kind = options.encoder.kind;
  if (kind == EncoderKind::dual || kind == EncoderKind::multiplex) {
    fail_input({.what = "ggd drops no edges with an encoder whose matrices are made once",
                .file = "drop_edges1",
                .found = "--encoder " + name_of(kind),
                .expected = "--drop-edges1 0, or gcn, gat, gin or sage"});
  }
  if (options.batch_size > 0) {
    fail_input({.what = "ggd drops no edges in batches, whose neighbours are a sample already",
                .file = "drop_edges1",
                .expected = "--drop-edges1 0, or --batch-size 0"});
  }
}

/// Both groups, unless they are the clean and the corrupted pass that are counted already.
MethodMemory memory_of_groups(const MethodOptions& options) {
  const bool edges = options.views.drop_edges1 > 0;
  const bool features = options.views.drop_features1 > 0;
  const int reg = options.contrast_reg ? 1 : 0;
  MethodMemory memory;
  memory.parameters = options.own.integer("ggd_layers") * options.dim * (options.dim + 1);
  // No loss asks for the clean pass where groups have one of their own, unless Contrast-Reg does.
  const bool own = edges || features;
  memory.passes = own ? 1 + reg : 1 - reg;
  memory.views = edges ? 1 : 0;
  if (features && !edges) memory.numbers_per_node = static_cast<double>(options.encoder.width(0));
  return memory;
}

}  // namespace

namespace methods {

MethodEntry ggd() {
  return {.name = "ggd",
          .about = "nodes of the graph against nodes with shuffled features (group discrimination)",
          .encoders = all_graph_encoders(),
          .steps = StepsBy::neighbourhoods,
          .uses = {"drop_edges1", "drop_features1"},
          .parameters = {own_integer("ggd_layers", 1, 1, 100,
                                     "linear layers between an embedding and its score")},
          .check = check_dropped_edges,
          .memory = memory_of_groups,
          .make = made_by<Ggd>};
}

}  // namespace methods
}  // namespace creg
