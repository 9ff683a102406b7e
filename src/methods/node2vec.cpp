// node2vec: a node is pulled towards those that follow it on random walks and pushed away from as
// many random nodes. Its encoder is a table with a free vector for every node.
#include <torch/types.h>

#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "contrast/walk_pairs.h"
#include "creg/contrast/pair_score.h"
#include "creg/core/error.h"
#include "graph/random_walks.h"
#include "methods/methods.h"

namespace creg {
namespace {

class Node2vec final : public Method {
 public:
  Node2vec(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast),
        walks_(options.walks),
        score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const GraphInputs& inputs = pass.inputs();
    const EpochPass::Settings& settings = pass.settings();
    // What is kept of the first step's graph serves all steps.
    invariant(!inputs.batch, "walks go through the whole graph");
    if (!walker_) look_at(pass.context(), inputs.adjacency);
    const std::vector<std::int32_t> starts = starts_of(inputs);
    const Walks walks = walker_->walk(pass.context(), starts, walks_.per_node, walks_.length,
                                      settings.seed, settings.epoch);
    const WalkPairs pairs = walk_pairs(pass.context(), walks, walks_.context, options_.negatives,
                                       inputs.nodes, settings.seed, settings.epoch);
    const at::Tensor& h = pass.embedding();
    const at::Tensor anchors = score_.anchors(h);
    const double scale = 1 / options_.temperature;
    const EdgeLoss joined = edge_loss(anchors, h, pairs.positives, 1, scale, options_.log);
    const EdgeLoss apart = edge_loss(anchors, h, pairs.negatives, -1, scale, options_.log);
    return {joined.loss + apart.loss, joined.sigma, apart.sigma,
            static_cast<std::int64_t>(starts.size())};
  }

  bool needs_edges() const override { return true; }

 private:
  void look_at(const Context& context, const CsrMatrix& adjacency) {
    if (adjacency.nonzeros() == 0) {
      fail_input({.what = "the graph has no edges, so node2vec has no walks",
                  .file = "method",
                  .found = "node2vec",
                  .hint = "--method lc --positives global needs none"});
    }
    walker_ = std::make_unique<RandomWalker>(context, adjacency, walks_.p, walks_.q);
  }

  static std::vector<std::int32_t> starts_of(const GraphInputs& inputs) {
    if (inputs.seeds.defined()) {
      const at::Tensor seeds = inputs.seeds.contiguous();
      const std::int32_t* const first = seeds.data_ptr<std::int32_t>();
      return {first, first + seeds.numel()};
    }
    std::vector<std::int32_t> all(static_cast<std::size_t>(inputs.nodes));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  ContrastOptions options_;
  WalkOptions walks_;
  PairScore score_;
  std::unique_ptr<RandomWalker> walker_;  // of the graph, once it has been seen
};

}  // namespace

std::unique_ptr<Method> make_node2vec(const MethodOptions& options, ParameterList& parameters) {
  return std::make_unique<Node2vec>(options, parameters);
}

}  // namespace creg
