// GCA: GRACE with views that lose edges into important nodes, and features that important nodes
// have, less often.
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "contrast/edge_chances.h"
#include "contrast/feature_mask.h"
#include "creg/contrast/dropped_view.h"
#include "creg/contrast/view_contrast.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "graph/centrality.h"
#include "methods/view_methods.h"
#include "ops/csr.h"
#include "ops/tensors.h"

namespace creg {
namespace {

/// What counts for edges: positive wherever an edge leads.
std::vector<double> edge_centrality(const Context& context, const CsrMatrix& adjacency,
                                    Centrality kind) {
  constexpr int iterations = 200;
  if (kind == Centrality::degree) return degree_centrality(context, adjacency);
  if (kind == Centrality::pagerank) return pagerank_centrality(context, adjacency, iterations);
  std::vector<double> values = eigenvector_centrality(context, adjacency);
  for (double& value : values) value = std::max(value, 0.0) + 1e-8;
  return values;
}

/// What counts for features; the authors' PageRank stops early here.
std::vector<double> feature_centrality(const Context& context, const CsrMatrix& adjacency,
                                       Centrality kind) {
  constexpr int iterations = 10;
  if (kind == Centrality::degree) return degree_centrality(context, adjacency);
  if (kind == Centrality::pagerank) return pagerank_centrality(context, adjacency, iterations);
  return eigenvector_centrality(context, adjacency);
}

class Gca final : public Method {
 public:
  Gca(const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder),
        centrality_(options.own.choice<Centrality>("centrality")),
        first_(drop_rates(options.views, 0)),
        second_(drop_rates(options.views, 1)),
        contrast_(options.dim, options.views.projection, options.contrast.temperature,
                  ViewNegatives::both_views, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    // What is kept of the first step's graph serves all steps.
    invariant(!pass.inputs().batch, "gca is not trained in batches");
    if (!looked_) look_at(pass);
    const ViewLoss result = contrast_.loss(pass, encode_dropped(pass, encoder_, first_, 0),
                                           encode_dropped(pass, encoder_, second_, 1));
    return {result.loss, result.positive_sigma, result.negative_sigma, pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  void look_at(const EpochPass& pass) {
    looked_ = true;
    const Context& context = pass.context();
    const CsrMatrix adjacency = host_csr(pass.inputs().adjacency);
    const std::vector<double> of_edges = edge_centrality(context, adjacency, centrality_);
    const std::vector<double> of_features = feature_centrality(context, adjacency, centrality_);
    for (DropRates* rates : {&first_, &second_}) {
      rates->edge_chances =
          tensor_on(context, adaptive_edge_chances(context, adjacency, of_edges, rates->edges));
      rates->column_chances = tensor_on(
          context, adaptive_column_chances(pass.inputs().features, of_features, rates->features));
    }
  }

  EncoderOptions encoder_;
  Centrality centrality_;
  DropRates first_;
  DropRates second_;
  ViewContrast contrast_;
  bool looked_ = false;
};

}  // namespace

namespace methods {

MethodEntry gca() {
  std::vector<std::string> uses = keys_of_views();
  uses.emplace_back("temperature");
  return {.name = "gca",
          .about = "the same, what matters little dropped more often (adaptive views)",
          .uses = std::move(uses),
          .parameters = {own_choice("centrality", Centrality::degree,
                                    "what makes a node, its edges and its features important, so "
                                    "that they stay")},
          .check = check_views,
          .memory = memory_of_views,
          .make = made_by<Gca>};
}

}  // namespace methods
}  // namespace creg
