// The embedding of a graph some of whose edges and features are gone.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/nn/encoder_options.h"

namespace creg {

/// What a view loses: at one rate, or at chances of their own where there are some.
struct DropRates {
  double edges = 0;
  double features = 0;
  at::Tensor edge_chances;    ///< float32, per stored entry of the adjacency; or undefined
  at::Tensor column_chances;  ///< float32, per column of the features; or undefined
};

/// The rates of view number `view` (0 or 1), the same for all edges and for all columns.
DropRates drop_rates(const ViewOptions& views, int view);

/// The features of view number `view` (from 0, below 256) in this step; as they are at a rate of 0.
FeatureMatrix dropped_features(const EpochPass& pass, const DropRates& rates, int view);

/// View number `view` through the pass's encoder, which was made with `encoder`. With rates of 0
/// that is the embedding of the graph itself.
at::Tensor encode_dropped(const EpochPass& pass, const EncoderOptions& encoder,
                          const DropRates& rates, int view);

/// The number of the pass (EpochPass::encode) that encodes a view.
constexpr int pass_of_view(int view) {
  return 2 + view;
}

}  // namespace creg
