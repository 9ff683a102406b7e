// ML: the positive of a node is itself after one more propagation, without weights or activation.
#include <torch/types.h>

#include "creg/contrast/pairs.h"
#include "creg/methods/method.h"
#include "creg/ops/aggregate.h"

namespace creg {
namespace {

class Ml final : public Method {
 public:
  Ml(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast), score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const std::int64_t nodes = pass.inputs().nodes;
    const at::Tensor deeper = pass.finished(aggregate(pass.inputs().propagation, pass.hidden()));
    const NegativeRows others = pass.negatives(options_.negatives);
    const PairLoss result =
        pair_loss(score_.anchors(deeper), others.rows, aligned_pairs(others.negatives),
                  1 / options_.temperature, options_.log);
    return {pass.share(result.loss, nodes), pass.share(result.positive_sigma, nodes),
            pass.share(result.negative_sigma, nodes), nodes};
  }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  ContrastOptions options_;
  PairScore score_;
};

}  // namespace

namespace methods {

MethodEntry ml() {
  return {.name = "ml",
          .about = "a node with its own representation one propagation deeper (multi-level)",
          .encoders = all_graph_encoders(),
          .steps = StepsBy::neighbourhoods,
          .uses = {"score", "negatives", "temperature", "log"},
          .memory =
              [](const MethodOptions& options) {
                return MethodMemory{.numbers_per_node = static_cast<double>(options.dim)};
              },
          .pairs = [](const MethodOptions& /*options*/) { return OwnPairs{"propagation"}; },
          .make = made_by<Ml>,
          .not_in_parts = in_parts};
}

}  // namespace methods
}  // namespace creg
