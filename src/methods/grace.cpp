// GRACE: a node must find itself in another view of the graph, among all other nodes of both views.
// A view has lost edges and columns of features at random.
#include <torch/types.h>

#include "creg/contrast/dropped_view.h"
#include "creg/contrast/view_contrast.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "methods/view_methods.h"

namespace creg {
namespace {

class Grace final : public Method {
 public:
  Grace(const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder),
        first_(drop_rates(options.views, 0)),
        second_(drop_rates(options.views, 1)),
        contrast_(options.dim, options.views.projection, options.contrast.temperature,
                  ViewNegatives::both_views, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    invariant(!pass.inputs().batch, "grace is not trained in batches");
    const ViewLoss result = contrast_.loss(pass, encode_dropped(pass, encoder_, first_, 0),
                                           encode_dropped(pass, encoder_, second_, 1));
    return {result.loss, result.positive_sigma, result.negative_sigma, pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  EncoderOptions encoder_;
  DropRates first_;
  DropRates second_;
  ViewContrast contrast_;
};

}  // namespace

namespace methods {

MethodEntry grace() {
  std::vector<std::string> uses = keys_of_views();
  uses.emplace_back("temperature");
  return {.name = "grace",
          .about = "a node in two views with edges and features dropped at random",
          .uses = std::move(uses),
          .check = check_views,
          .memory = memory_of_views,
          .make = made_by<Grace>};
}

}  // namespace methods
}  // namespace creg
