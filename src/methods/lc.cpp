// LC: the positive of a node is one of its most similar neighbours, or the mean of the most similar
// nodes of all. A curriculum may start with the nodes whose similarities are clearest.
#include <torch/types.h>

#include "contrast/curriculum.h"
#include "core/text.h"
#include "creg/contrast/pair_score.h"
#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "methods/methods.h"
#include "ops/similarity.h"

namespace creg {
namespace {

class Lc final : public Method {
 public:
  Lc(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast),
        epochs_(options.epochs),
        score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const EpochPass::Settings& settings = pass.settings();
    const std::int64_t nodes = pass.inputs().nodes;
    const at::Tensor negatives =
        draw_negatives(nodes, options_.negatives, settings.seed, settings.epoch);
    const at::Tensor positives = select(pass);
    const Pairs pairs = anchored_pairs(positives, negatives, seeds_);
    const std::int64_t anchors = pairs.positives.size(0);
    const bool batch = pass.inputs().batch;
    if (anchors == 0 && batch) return {pass.embedding().sum() * 0};
    if (anchors == 0) {
      fail_input({.what = "no node has a neighbour, so LC has no pairs",
                  .file = "positives",
                  .found = name_of(options_.positives),
                  .hint = "take positives from all nodes: --positives global"});
    }
    if (!told_ && !batch && !seeds_.defined() && anchors < nodes) {
      told_ = true;
      pass.context().log().write(
          LogLevel::info,
          with_commas(nodes - anchors) + " nodes without neighbours are left out of the loss");
    }
    const PairLoss result = pair_loss(score_.anchors(pass.nodes()), pass.embedding(), pairs,
                                      1 / options_.temperature, options_.log);
    return {result.loss, result.positive_sigma, result.negative_sigma, anchors};
  }

  bool sees_neighbours() const override { return options_.positives == Positives::neighbours; }

  bool needs_edges() const override { return sees_neighbours(); }

  std::vector<NamedTensor> state() const override {
    if (!seeds_.defined()) return {};
    return {{"seeds", seeds_}};
  }

  void restore(const std::vector<NamedTensor>& state) override {
    for (const NamedTensor& item : state) {
      if (item.name == "seeds") seeds_ = item.value;
    }
  }

 private:
  /// The positives of all nodes, from the embedding as it is; the seeds too where a round starts.
  at::Tensor select(EpochPass& pass) {
    const EpochPass::Settings& settings = pass.settings();
    const Context& context = pass.context();
    const std::int64_t nodes = pass.inputs().nodes;
    const at::Tensor h = pass.embedding().detach();
    const Round round =
        round_of(static_cast<int>(settings.epoch), epochs_, options_.curriculum, nodes);
    const bool new_seeds = options_.curriculum > 1 && round.starts;
    at::Tensor positives;
    at::Tensor entropies;
    if (options_.positives == Positives::global) {
      const SimilarityResult found =
          similarity_pass(context, pass.nodes().detach(),
                          {.k = std::min<std::int64_t>(options_.k, nodes), .entropies = new_seeds});
      positives = found.indices;
      entropies = found.entropies;
    } else {
      positives = draw_top_neighbour(context, h, pass.inputs().adjacency, options_.k,
                                     Similarity::dot, settings.seed, settings.epoch);
      if (new_seeds) entropies = row_entropies(context, h);
    }
    if (new_seeds) seeds_ = clearest_nodes(entropies, round.seeds);
    return positives;
  }

  ContrastOptions options_;
  int epochs_;
  PairScore score_;
  at::Tensor seeds_;  // undefined: all nodes
  bool told_ = false;
};

}  // namespace

std::unique_ptr<Method> make_lc(const MethodOptions& options, ParameterList& parameters) {
  return std::make_unique<Lc>(options, parameters);
}

}  // namespace creg
