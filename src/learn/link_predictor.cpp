#include "learn/link_predictor.h"

#include <cmath>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "learn/adam.h"
#include "learn/link/pair_model.h"
#include "learn/ranking_metrics.h"

namespace creg {
namespace {

/// The item of the streams that order the edges; those of the non-edges count from 0.
constexpr std::uint64_t order_item = std::uint64_t{1} << 40;

struct OwnedPairs {
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;

  explicit OwnedPairs(std::span<const NodePair> pairs = {}) {
    for (const auto& [u, v] : pairs) add(u, v);
  }
  void add(std::int32_t u, std::int32_t v) {
    from.push_back(u);
    to.push_back(v);
  }
  learn::PairList list() const { return {from, to}; }
};

std::vector<NodePair> undirected_edges(const CsrMatrix& edges) {
  std::vector<NodePair> pairs;
  pairs.reserve(static_cast<std::size_t>(edges.nonzeros() / 2));
  for (std::int32_t u = 0; u < edges.rows; ++u) {
    for (const std::int32_t v : edges.row(u)) {
      if (u < v) pairs.push_back({u, v});
    }
  }
  return pairs;
}

std::vector<float> scores_of(const Context& context, const learn::PairModel& model,
                             const OwnedPairs& pairs) {
  std::vector<float> out(pairs.from.size());
  model.scores(context, pairs.list(), out);
  return out;
}

void draw_weights(learn::PairModel& model, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::link_weights);
  std::int64_t index = 0;
  for (double& weight : model.weights()) {
    const double bound = 1 / std::sqrt(static_cast<double>(model.fan_in(index++)));
    weight = bound * (2 * stream.uniform_double() - 1);
  }
  model.weights_changed();
}

}  // namespace

LinkPredictor::LinkPredictor(std::shared_ptr<learn::PairModel> model, int epoch, double val_auc)
    : model_(std::move(model)), epoch_(epoch), val_auc_(val_auc) {}

LinkPredictor::~LinkPredictor() = default;

std::vector<float> LinkPredictor::scores(const Context& context,
                                         std::span<const NodePair> pairs) const {
  return scores_of(context, *model_, OwnedPairs(pairs));
}

LinkPredictor fit_link_predictor(const Context& context, const DenseMatrix& embedding,
                                 const NonEdgeSampler& training, std::span<const NodePair> val,
                                 std::span<const NodePair> val_non_edges,
                                 const PredictorOptions& options, const learn::MlpMaker& make_mlp) {
  invariant(options.batch > 0 && options.batch % NonEdgeSampler::block == 0,
            "a batch is a whole number of blocks of non-edges");
  invariant(options.kind == PredictorKind::linear || make_mlp, "an mlp has its maker");
  invariant(embedding.rows == training.nodes(), "a row of the embedding per node");
  std::vector<NodePair> edges = undirected_edges(training.edges());
  if (edges.empty()) {
    fail_input({.what = "the training graph has no edges to fit a link predictor to"});
  }
  const std::shared_ptr<learn::PairModel> model =
      options.kind == PredictorKind::linear ? learn::make_linear_model(embedding)
                                            : make_mlp(context, embedding, options.hidden);
  draw_weights(*model, options.seed);
  learn::Adam adam(model->weights().size(), options.learning_rate);
  const OwnedPairs val_edges(val);
  const OwnedPairs val_others(val_non_edges);

  learn::AlignedVector gradient;
  learn::AlignedVector best;
  double best_auc = -1;
  int best_epoch = 0;
  const auto count = static_cast<std::int64_t>(edges.size());
  OwnedPairs step;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto number = static_cast<std::uint32_t>(epoch);
    if (count > options.batch) {
      RandomStream order(options.seed, Purpose::link_non_edges, number, order_item);
      shuffle(std::span<NodePair>(edges), order);
    }
    for (std::int64_t first = 0; first < count; first += options.batch) {
      const auto size = static_cast<std::size_t>(std::min(options.batch, count - first));
      step.from.resize(2 * size);
      step.to.resize(2 * size);
      for (std::size_t i = 0; i < size; ++i) {
        const NodePair& edge = edges[static_cast<std::size_t>(first) + i];
        step.from[i] = edge.u;
        step.to[i] = edge.v;
      }
      training.draw(context, options.seed, Purpose::link_non_edges, number, first,
                    std::span(step.from).subspan(size), std::span(step.to).subspan(size));
      model->loss(context, step.list(), static_cast<std::int64_t>(size), gradient);
      adam.step(gradient, model->weights());
      model->weights_changed();
    }
    const double auc =
        rank_scores(scores_of(context, *model, val_edges), scores_of(context, *model, val_others))
            .auc;
    if (auc > best_auc) {
      best_auc = auc;
      best_epoch = epoch;
      best = model->weights();
    }
    context.throw_if_stopped();
    if (options.each_epoch) options.each_epoch();
    if (options.patience > 0 && epoch - best_epoch >= options.patience) break;
  }
  model->weights() = best;
  model->weights_changed();
  return {model, best_epoch, best_auc};
}

}  // namespace creg
