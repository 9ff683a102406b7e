// A small model that tells edges from non-edges by the elementwise product of two embeddings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/splits.h"
#include "creg/learn/predictor_options.h"
#include "graph/non_edges.h"

namespace creg {

namespace learn {
class PairModel;

/// Makes the model of PredictorKind::mlp: `hidden` units between the product and the logit.
using MlpMaker = std::function<std::shared_ptr<PairModel>(
    const Context& context, const DenseMatrix& rows, std::int64_t hidden)>;

/// By libtorch.
std::shared_ptr<PairModel> make_mlp_model(const Context& context, const DenseMatrix& rows,
                                          std::int64_t hidden);
}  // namespace learn

/// A fitted model. It keeps the embedding that it was fitted to.
class LinkPredictor {
 public:
  LinkPredictor(std::shared_ptr<learn::PairModel> model, int epoch, double val_auc);
  ~LinkPredictor();

  /// A logit per pair.
  std::vector<float> scores(const Context& context, std::span<const NodePair> pairs) const;
  int epoch() const { return epoch_; }         ///< after which the weights were taken, from 1
  double val_auc() const { return val_auc_; }  ///< of those weights

 private:
  std::shared_ptr<learn::PairModel> model_;
  int epoch_;
  double val_auc_;
};

/// Adam on the mean of -log sigma(logit) over the edges of the training graph and of
/// -log sigma(-logit) over as many pairs that are no edge of the *training* graph, drawn anew every
/// epoch: which pairs are held out is not told. More than `batch` edges make several steps an
/// epoch, in a new order every time. After every epoch the validation AUC is looked at; the weights
/// of the highest one, the first of equal ones, are taken. Weights start uniform in +-1/sqrt(inputs
/// of the layer). Memory beside the embedding is O(edges). The linear model does not depend on the
/// number of threads. Without a `make_mlp` there is the linear model alone.
LinkPredictor fit_link_predictor(const Context& context, const DenseMatrix& embedding,
                                 const NonEdgeSampler& training, std::span<const NodePair> val,
                                 std::span<const NodePair> val_non_edges,
                                 const PredictorOptions& options = {},
                                 const learn::MlpMaker& make_mlp = nullptr);

}  // namespace creg
