// Link prediction: how well a small model on an embedding tells held-out edges from non-edges.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/splits.h"
#include "creg/learn/predictor_options.h"
#include "creg/tasks/classify.h"

namespace creg {

struct LinkOptions {
  PredictorOptions predictor;
  Normalize normalize = Normalize::none;
  int smooth = 0;  ///< as of ClassifyOptions, by the training edges alone
  /// Named in messages about the split.
  std::string source;
};

/// One value per embedding in every list.
struct LinkResult {
  std::string protocol;
  PredictorKind predictor = PredictorKind::linear;
  Normalize normalize = Normalize::none;
  int smooth = 0;
  double learning_rate = 0;
  int epochs = 0;    ///< the most of a fit
  int patience = 0;  ///< of a fit; 0: all epochs
  std::uint64_t predictor_seed = 0;
  std::int64_t val = 0;   ///< edges of the first split, and as many non-edges
  std::int64_t test = 0;  ///< the same
  LeakCheck leak_check;   ///< of the first split; it has passed for all
  /// Whether every encoder is known to have been trained on the training edges alone. Not by this
  /// function: its caller knows, and says.
  bool encoder_checked = false;
  std::vector<std::uint64_t> split_seeds;
  std::vector<double> auc;  ///< on the test pairs
  std::vector<double> average_precision;
  std::vector<double> val_auc;
  std::vector<int> best_epochs;
};

/// Checks the split for leaks, fits a predictor to the embedding on the training graph, chosen on
/// the validation pairs, and ranks the test pairs by it. An embedding that does not fit the graph,
/// and a split that check_edge_split refuses, are input errors.
LinkResult predict_links(const Context& context, const EdgeSplit& split, std::uint64_t split_seed,
                         const DenseMatrix& embedding, const LinkOptions& options = {});

/// Several embeddings as one result: the values one after the other. Results by different
/// predictors or settings are an input error.
LinkResult pool_links(std::span<const LinkResult> results);

}  // namespace creg
