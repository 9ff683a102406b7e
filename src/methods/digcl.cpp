// DiGCL: a node of a directed graph must find itself in another view, among the nodes of its own.
// The views are Laplacians by personalised PageRank with different teleport probabilities, the
// second of which moves over the epochs; each has lost columns of features.
#include <torch/types.h>

#include <memory>

#include "contrast/teleport_schedule.h"
#include "creg/contrast/dropped_view.h"
#include "creg/contrast/view_contrast.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "methods/view_methods.h"
#include "ops/csr.h"
#include "ops/laplacian.h"

namespace creg {
namespace {

class Digcl final : public Method {
 public:
  Digcl(const MethodOptions& options, ParameterList& parameters)
      : schedule_(options.own.choice<TeleportSchedule>("teleport_schedule")),
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
    const at::Tensor other =
        pass.encode(dropped_features(pass, second_, 1), second_hops(pass), pass_of_view(1));
    const ViewLoss result = contrast_.loss(pass, one, other);
    return {result.loss, result.positive_sigma, result.negative_sigma, inputs.nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

  /// The teleport probability of the second view.
  double moving(int epoch) const override { return teleport_of(schedule_, epoch, epochs_); }

 private:
  Hops second_hops(const EpochPass& pass) {
    const Context& context = pass.context();
    if (!laplacians_) laplacians_ = make_laplacian_source(context, pass.inputs().adjacency);
    const CsrTensors laplacian = laplacians_->at(context, moving(pass.settings().epoch));
    return Hops({context, gcn_normalised(context, laplacian), SparseMatrix::Shape::symmetric});
  }

  TeleportSchedule schedule_;
  int epochs_;
  DropRates first_;
  DropRates second_;
  ViewContrast contrast_;
  std::unique_ptr<LaplacianSource> laplacians_;  // of the graph, once it has been seen
};

void check_laplacians(const MethodOptions& options) {
  check_views(options);
  if (options.encoder.propagation == Propagation::directed_pagerank) return;
  fail_input({.what = "digcl's views are Laplacians by PageRank",
              .file = "propagation",
              .found = name_of(options.encoder.propagation),
              .expected = "--propagation directed-pagerank"});
}

}  // namespace

namespace methods {

MethodEntry digcl() {
  return {.name = "digcl",
          .about = "a node of a directed graph in views by two teleport probabilities",
          .encoders = {EncoderKind::gcn},
          .uses = {"drop_features1", "drop_features2", "projection", "temperature"},
          .parameters = {own_choice("teleport_schedule", TeleportSchedule::log,
                                    "how the second view's teleport probability moves; log is the "
                                    "authors' formula, which runs from 1.7 to 0.9, linear and exp "
                                    "run from 0.9 to 0.1")},
          .check = check_laplacians,
          .memory = memory_of_views,
          .make = made_by<Digcl>};
}

}  // namespace methods
}  // namespace creg
