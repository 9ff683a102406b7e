// node2vec: a node is pulled towards those that follow it on random walks and pushed away from as
// many random nodes. Its encoder is a table with a free vector for every node.
#include <torch/types.h>

#include <memory>

#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "ops/edge_loss.h"
#include "ops/pair_sources.h"

namespace creg {
namespace {

class Node2vec final : public Method {
 public:
  Node2vec(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast),
        how_{.per_start = static_cast<int>(options.own.integer("walks")),
             .length = static_cast<int>(options.own.integer("walk_length")),
             .window = static_cast<int>(options.own.integer("context")),
             .negatives = options.contrast.negatives},
        p_(options.own.real("p")),
        q_(options.own.real("q")),
        score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const GraphInputs& inputs = pass.inputs();
    const EpochPass::Settings& settings = pass.settings();
    // What is kept of the first step's graph serves all steps.
    invariant(!inputs.batch, "walks go through the whole graph");
    if (!walks_) look_at(pass.context(), inputs.adjacency);
    const WalkSource::Pairs pairs =
        walks_->draw(pass.context(), inputs.seeds, how_, settings.seed, settings.step);
    const at::Tensor& h = pass.embedding();
    const at::Tensor anchors = score_.anchors(h);
    const double scale = 1 / options_.temperature;
    const EdgeLoss joined = edge_loss(anchors, h, pairs.positives, 1, scale, options_.log);
    const EdgeLoss apart = edge_loss(anchors, h, pairs.negatives, -1, scale, options_.log);
    return {joined.loss + apart.loss, joined.sigma, apart.sigma,
            inputs.seeds.defined() ? inputs.seeds.numel() : inputs.nodes};
  }

  bool needs_edges() const override { return true; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  void look_at(const Context& context, const CsrTensors& adjacency) {
    if (adjacency.nonzeros() == 0) {
      fail_input({.what = "the graph has no edges, so node2vec has no walks",
                  .file = "method",
                  .found = "node2vec",
                  .hint = "--method lc --positives global needs none"});
    }
    walks_ = make_walk_source(context, adjacency, p_, q_);
  }

  ContrastOptions options_;
  WalkOptions how_;
  double p_;
  double q_;
  PairScore score_;
  std::unique_ptr<WalkSource> walks_;  // of the graph, once it has been seen
};

}  // namespace

namespace methods {

MethodEntry node2vec() {
  constexpr std::int64_t large = std::int64_t{1} << 20;
  return {.name = "node2vec",
          .about = "a node with those that follow it on random walks, against random nodes",
          .encoders = {EncoderKind::table},
          .regularised = false,
          .steps = StepsBy::start_nodes,
          .uses = {"negatives", "temperature", "log"},
          .parameters = {own_integer("walk_length", 20, 2, large, "nodes of a walk"),
                         own_integer(
                             "context", 10, 2, large,
                             "nodes of a window, the first of which is the centre of the others"),
                         own_integer("walks", 10, 1, large, "walks from every node in an epoch"),
                         own_real("p", 1, 1e-3, 1e3, "a step back counts 1/p"),
                         own_real("q", 1, 1e-3, 1e3,
                                  "a step away from where the walk came from counts 1/q")},
          .make = made_by<Node2vec>};
}

}  // namespace methods
}  // namespace creg
