// DiGCL: a node of a directed graph must find itself in another view, among the nodes of its own.
// The views are Laplacians by personalised PageRank with different teleport probabilities, the
// second of which moves over the epochs; each has lost columns of features.
#include <torch/types.h>

#include "contrast/teleport_schedule.h"
#include "creg/contrast/dropped_view.h"
#include "creg/contrast/view_contrast.h"
#include "creg/core/error.h"
#include "methods/methods.h"

namespace creg {
namespace {

class Digcl final : public Method {
 public:
  Digcl(const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder),
        schedule_(options.views.teleport_schedule),
        epochs_(options.epochs),
        first_{.features = options.views.drop_features1},
        second_{.features = options.views.drop_features2},
        contrast_(options.dim, options.views.projection, options.contrast.temperature,
                  ViewNegatives::own_view, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const GraphInputs& inputs = pass.inputs();
    invariant(!inputs.batch, "digcl is not trained in batches");
    const at::Tensor one =
        pass.encode(dropped_features(pass, first_, 0), inputs.hops, pass_of_view(0));
    EncoderOptions moved = encoder_;
    moved.teleport = teleport_of(schedule_, static_cast<int>(pass.settings().epoch), epochs_);
    // The Laplacian sees which way edges go by itself.
    const Hops hops = encoder_hops(pass.context(), inputs.adjacency, /*directed=*/true, moved);
    const at::Tensor other = pass.encode(dropped_features(pass, second_, 1), hops, pass_of_view(1));
    const ViewLoss result = contrast_.loss(pass, one, other);
    return {result.loss, result.positive_sigma, result.negative_sigma, inputs.nodes};
  }

  bool sees_neighbours() const override { return false; }

 private:
  EncoderOptions encoder_;
  TeleportSchedule schedule_;
  int epochs_;
  DropRates first_;
  DropRates second_;
  ViewContrast contrast_;
};

}  // namespace

std::unique_ptr<Method> make_digcl(const MethodOptions& options, ParameterList& parameters) {
  return std::make_unique<Digcl>(options, parameters);
}

}  // namespace creg
