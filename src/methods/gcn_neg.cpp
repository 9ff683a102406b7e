// GCN-neg: both ends of every edge of the graph are pulled together, as many random pairs without
// an edge pushed apart.
#include <torch/types.h>

#include <memory>

#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "ops/edge_loss.h"
#include "ops/pair_sources.h"

namespace creg {
namespace {

class GcnNeg final : public Method {
 public:
  GcnNeg(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast), score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    // What is kept of the first step's graph serves all steps.
    invariant(!pass.inputs().batch, "gcn-neg is not trained in batches");
    if (!pairs_) look_at(pass);
    const at::Tensor& h = pass.embedding();
    const at::Tensor anchors = score_.anchors(h);
    const double scale = 1 / options_.temperature;
    const EdgeLoss joined = edge_loss(anchors, h, pairs_->edges(), 1, scale, options_.log);
    const EdgeLoss apart = edge_loss(anchors, h, draw(pass), -1, scale, options_.log);
    // The mean over all pairs together; with one non-edge per edge both halves count the same.
    const double share = 1.0 / (1 + options_.negatives);
    return {joined.loss * share + apart.loss * (1 - share), joined.sigma, apart.sigma,
            pass.inputs().nodes};
  }

  bool needs_edges() const override { return true; }

 private:
  void look_at(const EpochPass& pass) {
    pairs_ = make_non_edge_source(pass.context(), pass.inputs().adjacency);
    if (pairs_->edges().nonzeros() == 0) {
      fail_input({.what = "the graph has no edges, so gcn-neg has no pairs",
                  .file = "method",
                  .found = "gcn-neg",
                  .hint = "--method lc --positives global needs none"});
    }
  }

  /// `negatives` non-edges for every direction of every edge.
  CsrTensors draw(const EpochPass& pass) const {
    return pairs_->draw(pass.context(), pairs_->edges().nonzeros() * options_.negatives,
                        pass.settings().seed, pass.settings().step);
  }

  ContrastOptions options_;
  PairScore score_;
  std::unique_ptr<NonEdgeSource> pairs_;  // of the graph, once it has been seen
};

}  // namespace

namespace methods {

MethodEntry gcn_neg() {
  return {.name = "gcn-neg",
          .about = "a node with all its neighbours, against random non-edges",
          .encoders = all_graph_encoders(),
          .uses = {"score", "negatives", "temperature", "log"},
          .memory =
              [](const MethodOptions& options) {
                // Gradients of edges and of non-edges.
                return MethodMemory{.numbers_per_node = static_cast<double>(options.dim)};
              },
          .pairs = [](const MethodOptions& /*options*/) { return OwnPairs{"edges"}; },
          .make = made_by<GcnNeg>};
}

}  // namespace methods
}  // namespace creg
