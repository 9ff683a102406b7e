// GCN-neg: both ends of every edge of the graph are pulled together, as many random pairs without
// an edge pushed apart.
#include <torch/types.h>

#include <memory>

#include "creg/contrast/pair_score.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/methods/method.h"
#include "graph/non_edges.h"
#include "ops/edge_loss.h"

namespace creg {
namespace {

class GcnNeg final : public Method {
 public:
  GcnNeg(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast), score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    // What is kept of the first step's graph serves all steps.
    invariant(!pass.inputs().batch, "gcn-neg is not trained in batches");
    const CsrMatrix& adjacency = pass.inputs().adjacency;
    if (!sampler_) look_at(pass.context(), adjacency);
    const at::Tensor& h = pass.embedding();
    const at::Tensor anchors = score_.anchors(h);
    const double scale = 1 / options_.temperature;
    const EdgeLoss joined = edge_loss(anchors, h, edges_, 1, scale, options_.log);
    const EdgeLoss apart = edge_loss(anchors, h, draw(pass), -1, scale, options_.log);
    // The mean over all pairs together; with one non-edge per edge both halves count the same.
    const double share = 1.0 / (1 + options_.negatives);
    return {joined.loss * share + apart.loss * (1 - share), joined.sigma, apart.sigma,
            pass.inputs().nodes};
  }

  bool needs_edges() const override { return true; }

 private:
  void look_at(const Context& context, const CsrMatrix& adjacency) {
    sampler_ = std::make_unique<NonEdgeSampler>(context, adjacency, "");
    const CsrMatrix& edges = sampler_->edges();
    if (edges.nonzeros() == 0) {
      fail_input({.what = "the graph has no edges, so gcn-neg has no pairs",
                  .file = "method",
                  .found = "gcn-neg",
                  .hint = "--method lc --positives global needs none"});
    }
    edges_ = std::make_shared<const PairRows>(
        PairRows{.offsets = {edges.offsets.begin(), edges.offsets.end()},
                 .columns = {edges.columns.begin(), edges.columns.end()}});
  }

  /// `negatives` non-edges for every direction of every edge, by the node they start from.
  std::shared_ptr<const PairRows> draw(const EpochPass& pass) const {
    const auto count = static_cast<std::size_t>(edges_->size() * options_.negatives);
    std::vector<std::int32_t> from(count);
    std::vector<std::int32_t> to(count);
    sampler_->draw(pass.context(), pass.settings().seed, Purpose::negatives, pass.settings().step,
                   0, from, to);
    auto pairs = std::make_shared<PairRows>();
    pairs->offsets.assign(static_cast<std::size_t>(sampler_->nodes()) + 1, 0);
    for (const std::int32_t u : from) ++pairs->offsets[static_cast<std::size_t>(u) + 1];
    for (std::size_t u = 1; u < pairs->offsets.size(); ++u) {
      pairs->offsets[u] += pairs->offsets[u - 1];
    }
    std::vector<std::int64_t> next(pairs->offsets.begin(), pairs->offsets.end() - 1);
    pairs->columns.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      pairs->columns[static_cast<std::size_t>(next[static_cast<std::size_t>(from[i])]++)] = to[i];
    }
    return pairs;
  }

  ContrastOptions options_;
  PairScore score_;
  std::unique_ptr<NonEdgeSampler> sampler_;  // of the graph, once it has been seen
  std::shared_ptr<const PairRows> edges_;    // both directions
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
