// GMI: a node's embedding must know its features and those around it, and which nodes its edges go
// to.
#include <torch/types.h>

#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "creg/ops/aggregate.h"
#include "ops/all_pairs_loss.h"
#include "ops/csr.h"
#include "ops/edge_loss.h"
#include "ops/random.h"
#include "ops/row_choice.h"

namespace creg {
namespace {

constexpr double feature_weight = 0.8;
constexpr double neighbourhood_weight = 1;
constexpr double edge_weight = 1;
constexpr int negative_lists = 5;

/// Estimates how much `known` (a score per node by its own row) and `guessed` (by others' rows)
/// tell apart. The published code takes the softplus of scores that have been through sigma.
at::Tensor divergence(const at::Tensor& known, const at::Tensor& guessed) {
  return at::softplus(-known).mean() + at::softplus(guessed).mean();
}

class Gmi final : public Method {
 public:
  Gmi(const MethodOptions& options, ParameterList& parameters)
      : log_(options.contrast.log),
        feature_score_(parameters.uniform("features.weight", {options.features, options.dim},
                                          glorot_bound(options.features, options.dim))),
        feature_bias_(parameters.constant("features.bias", {1}, 0)),
        around_score_(parameters.uniform("around.weight", {options.dim, options.first_width},
                                         glorot_bound(options.dim, options.first_width))),
        around_bias_(parameters.constant("around.bias", {1}, 0)),
        slope_(parameters.constant("around.slope", {1}, 0.25)) {}

  EpochLoss loss(EpochPass& pass) override {
    const GraphInputs& inputs = pass.inputs();
    invariant(!inputs.batch, "gmi is not trained in batches");
    if (inputs.nodes < 2) {
      fail_input({.what = "gmi tells nodes from other nodes, and there is one node only",
                  .file = "method",
                  .found = "gmi"});
    }
    if (!edges_.columns.defined()) look_at(pass);
    const at::Tensor& h = pass.embedding();
    const at::Tensor around = aggregate(neighbours_, pass.projected().rows, {.slope = slope_});
    // Of either term.
    const at::Tensor others =
        draw_other_rows(h.device(), 2 * negative_lists, inputs.nodes,
                        {pass.settings().seed, Purpose::negatives, pass.settings().step});

    // x_j·B h_i: the product with the features comes first, they are sparse.
    const at::Tensor features = inputs.features.times(feature_score_);
    const at::Tensor by_features =
        term(features, h, feature_bias_, others.narrow(0, 0, negative_lists));
    const at::Tensor by_around = term(h, at::mm(around, around_score_.t()), around_bias_,
                                      others.narrow(0, negative_lists, negative_lists));
    const EdgeLoss together = edge_loss(h, h, edges_, 1, 1, log_);
    const at::Tensor edges = edge_term(pass.context(), h, together.loss);
    return {by_features * feature_weight + by_around * neighbourhood_weight + edges * edge_weight,
            together.sigma, negative_sigma_, inputs.nodes};
  }

  bool needs_edges() const override { return true; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  /// Rows against their own anchors and against those of other nodes.
  at::Tensor term(const at::Tensor& rows, const at::Tensor& anchors, const at::Tensor& bias,
                  const at::Tensor& others) {
    const at::Tensor known = ((rows * anchors).sum(1) + bias).sigmoid();
    std::vector<at::Tensor> guessed;
    for (int list = 0; list < negative_lists; ++list) {
      const at::Tensor chosen = chosen_rows(rows, others.select(0, list));
      guessed.push_back(((chosen * anchors).sum(1) + bias).sigmoid());
    }
    const at::Tensor all = at::cat(guessed);
    negative_sigma_ = all.detach().mean();
    return divergence(known, all);
  }

  /// The weighted cross entropy of all pairs, with A + I as what is true. All pairs are taken for
  /// strangers first; for the true ones that is taken back.
  at::Tensor edge_term(const Context& context, const at::Tensor& h,
                       const at::Tensor& together) const {
    const auto nodes = static_cast<double>(h.size(0));
    const auto pairs = static_cast<double>(edges_.nonzeros());
    const double all = nodes * nodes;
    const double half = pairs / 2;
    const double positive_weight = (all - half) / half;
    const double scale = all / (all - half);
    const at::Tensor apart = edge_loss(h, h, edges_, -1, 1, log_).loss;
    return (all_pairs_apart(context, h) + (together * positive_weight - apart) * (pairs / all)) *
           scale;
  }

  void look_at(EpochPass& pass) {
    const CsrTensors& adjacency = pass.inputs().adjacency;
    neighbours_ = SparseMatrix(pass.context(),
                               row_normalised(pass.context(), adjacency, SelfLoops::as_stored));
    // Means over all pairs need their number.
    edges_ = without_room(with_self_loops(pass.context(), adjacency, SelfLoops::missing));
  }

  LogForm log_;
  at::Tensor feature_score_;  // [features, dim]
  at::Tensor feature_bias_;
  at::Tensor around_score_;  // [dim, first width]
  at::Tensor around_bias_;
  at::Tensor slope_;
  SparseMatrix neighbours_;  // D^-1 A, once the graph has been seen
  CsrTensors edges_;         // A + I
  at::Tensor negative_sigma_;
};

}  // namespace

namespace methods {

MethodEntry gmi() {
  return {.name = "gmi",
          .about = "a node with its features, its neighbours' features and its edges",
          .uses = {"log"},
          .memory =
              [](const MethodOptions& options) {
                const auto d = static_cast<double>(options.dim);
                // The rows of the lists of negatives for two terms, each with its products.
                return MethodMemory{.parameters = options.dim * (options.features + options.dim),
                                    .numbers_per_node = 24 * d};
              },
          .make = made_by<Gmi>};
}

}  // namespace methods
}  // namespace creg
