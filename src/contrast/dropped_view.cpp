#include "creg/contrast/dropped_view.h"

#include <torch/types.h>

#include "contrast/feature_mask.h"
#include "creg/core/error.h"
#include "ops/csr.h"

namespace creg {
namespace {

void check_view(int view) {
  invariant(view >= 0 && view < 256, "views are numbered from 0, and are few");
}

ViewDraw draw_of(const EpochPass& pass, int view) {
  check_view(view);
  return {.seed = pass.settings().seed, .step = pass.settings().step, .view = view};
}

Hops dropped_hops(const EpochPass& pass, const EncoderOptions& encoder, const DropRates& rates,
                  int view) {
  const GraphInputs& inputs = pass.inputs();
  if (rates.edges <= 0) return inputs.hops;
  const ViewDraw draw = draw_of(pass, view);
  const CsrTensors kept =
      rates.edge_chances.defined()
          ? drop_edges(pass.context(), inputs.adjacency, rates.edge_chances, draw)
          : drop_edges(pass.context(), inputs.adjacency, rates.edges, draw);
  // Of an undirected edge one direction may be left.
  return encoder_hops(pass.context(), kept, /*directed=*/true, encoder);
}

}  // namespace

DropRates drop_rates(const ViewOptions& views, int view) {
  check_view(view);
  return view == 0 ? DropRates{.edges = views.drop_edges1, .features = views.drop_features1}
                   : DropRates{.edges = views.drop_edges2, .features = views.drop_features2};
}

FeatureMatrix dropped_features(const EpochPass& pass, const DropRates& rates, int view) {
  const FeatureMatrix& features = pass.inputs().features;
  if (rates.features <= 0) return features;
  const ViewDraw draw = draw_of(pass, view);
  return features.with_columns(
      rates.column_chances.defined()
          ? draw_column_mask(rates.column_chances, draw)
          : draw_column_mask(pass.context(), features.cols(), rates.features, draw));
}

at::Tensor encode_dropped(const EpochPass& pass, const EncoderOptions& encoder,
                          const DropRates& rates, int view) {
  return pass.encode(dropped_features(pass, rates, view), dropped_hops(pass, encoder, rates, view),
                     pass_of_view(view));
}

}  // namespace creg
