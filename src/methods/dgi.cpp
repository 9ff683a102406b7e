// DGI: every node must tell itself from that of a graph with shuffled features by its score with a
// summary of the whole graph, h·W s with s = sigma(mean of h).
#include <torch/types.h>

#include "creg/methods/method.h"
#include "creg/ops/pair_loss.h"

namespace creg {
namespace {

at::Tensor mean_sigma_with(const at::Tensor& rows, const at::Tensor& direction) {
  const at::NoGradGuard no_grad;
  return at::mv(rows, direction).sigmoid().mean();
}

class Dgi final : public Method {
 public:
  Dgi(const MethodOptions& options, ParameterList& parameters)
      : log_(options.contrast.log),
        weight_(parameters.uniform("discriminator.weight", {options.dim, options.dim},
                                   glorot_bound(options.dim, options.dim))) {}

  EpochLoss loss(EpochPass& pass) override {
    const at::Tensor nodes = pass.nodes();
    const at::Tensor& corrupted = pass.corrupted();
    // The summary is of the clean graph, and gradients go through it.
    const at::Tensor direction = at::mv(weight_, at::sigmoid(pass.mean_of_nodes()));
    const at::Tensor loss = (direction_loss(nodes, direction, 1, log_) +
                             direction_loss(corrupted, direction, -1, log_)) /
                            2;
    const std::int64_t count = pass.inputs().nodes;
    return {pass.share(loss, count), pass.share(mean_sigma_with(nodes, direction), count),
            pass.share(mean_sigma_with(corrupted, direction), count), count};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  LogForm log_;
  at::Tensor weight_;  // [dim, dim]
};

}  // namespace

namespace methods {

MethodEntry dgi() {
  return {.name = "dgi",
          .about = "a node with a summary of the graph, against shuffled features",
          .encoders = all_graph_encoders(),
          .steps = StepsBy::neighbourhoods,
          .corrupts = true,
          .uses = {"log"},
          .memory =
              [](const MethodOptions& options) {
                return MethodMemory{.parameters = options.dim * options.dim};
              },
          .make = made_by<Dgi>,
          .not_in_parts = in_parts};
}

}  // namespace methods
}  // namespace creg
