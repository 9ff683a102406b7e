#include "train/training_step.h"

#include <torch/types.h>

#include <cmath>
#include <numbers>

#include "contrast/curriculum.h"
#include "creg/core/error.h"
#include "graph/transforms.h"
#include "ops/row_norms.h"

namespace creg {

Graph with_prepared_features(const Context& context, Graph graph, const TrainConfig& config) {
  if (!has_features(graph.features)) {
    if (config.encoder.kind == EncoderKind::table) return graph;
    fail_input({.what = "the dataset has no features, and an encoder needs some",
                .file = graph.name,
                .hint = "give a table with --features FILE or the key `features`; labels are not "
                        "needed for training"});
  }
  return config.pre_norm ? row_normalise_features(context, std::move(graph)) : graph;
}

Model::Model(const TrainConfig& config, const Graph& graph, std::uint64_t seed)
    : parameters(seed),
      encoder(
          make_encoder(config.encoder, feature_cols(graph.features), parameters, graph.nodes())) {
  method = make_method(config.method,
                       {.contrast = config.contrast,
                        .clusters = config.clusters,
                        .views = config.views,
                        .walks = config.walks,
                        .mask = config.mask,
                        .encoder = config.encoder,
                        .dim = config.encoder.dim,
                        .epochs = config.epochs,
                        .first_width = encoder->first_width(),
                        .features = feature_cols(graph.features),
                        .nodes = graph.nodes(),
                        .classes = graph.classes()},
                       parameters);
  if (config.regulariser.contrast) {
    regulariser = std::make_unique<ContrastReg>(config.regulariser, config.contrast.log,
                                                config.encoder.dim, parameters);
  }
}

namespace {

/// Of the clean embedding, which no loss need have asked for: then it has no way back.
void add_norms(EpochStatistics& statistics, EpochPass& pass) {
  const at::NoGradGuard no_grad;
  const NormStatistics norms = norm_statistics(pass.nodes().detach());
  statistics.norm_mean = norms.mean;
  statistics.norm_variance = norms.variance;
}

/// An epoch that has begun is finished: its long passes do not notice Ctrl-C.
Context without_stop(const Context& context) {
  Context::Options options = context.options();
  options.stop = nullptr;
  return Context(options);
}

}  // namespace

TrainingStep::TrainingStep(const Context& context, const Graph& graph, const TrainConfig& config)
    : context_(without_stop(context)),
      config_(config),
      nodes_(graph.nodes()),
      model_(config, graph, context.seed()),
      adam_(model_.parameters.all(), config.lr, effective_weight_decay(config),
            [this](const std::string& name) { return model_.method->decays(name); }),
      ratio_(config.regulariser) {}

bool TrainingStep::starts_round(int epoch) const {
  return config_.contrast.curriculum > 1 && epoch < config_.epochs &&
         round_of(epoch, config_.epochs, config_.contrast.curriculum, nodes_).starts;
}

double TrainingStep::schedule_rate(int epoch) const {
  if (config_.schedule == Schedule::constant) return 1;
  return (1 + std::cos(std::numbers::pi * epoch / config_.epochs)) / 2;
}

double TrainingStep::round_rate(int epoch) const {
  const int rounds = config_.contrast.curriculum;
  if (rounds < 2) return 1;
  return round_of(epoch, config_.epochs, rounds, nodes_).number > 0 ? later_round_rate : 1;
}

EpochStatistics TrainingStep::run(const GraphInputs& inputs, int epoch, std::uint32_t draw) {
  if (epoch > 0 && (starts_round(epoch) || model_.method->starts_afresh(epoch))) {
    adam_.restart(config_.lr);
  }
  adam_.set_lr(config_.lr * schedule_rate(epoch) * round_rate(epoch) * model_.method->rate(epoch));
  EpochStatistics statistics;
  statistics.epoch = epoch;
  statistics.lr = adam_.lr();
  {
    EpochPass pass(
        context_, inputs, *model_.encoder,
        {.seed = context_.seed(), .epoch = draw, .unit_rows = config_.regulariser.l2norm});
    const EpochLoss contrast = model_.method->loss(pass);
    at::Tensor total = contrast.loss;
    statistics.contrast = contrast.loss.item<double>();
    statistics.positive_sigma = contrast.positive_sigma;
    statistics.negative_sigma = contrast.negative_sigma;
    statistics.anchors = contrast.anchors;
    if (model_.regulariser) {
      const at::Tensor penalty = model_.regulariser->loss(pass);
      statistics.regulariser = penalty.item<double>();
      statistics.ratio = ratio_.ratio();
      total = total + penalty * ratio_.ratio();
    }
    statistics.loss = total.item<double>();
    add_norms(statistics, pass);
    if (!std::isfinite(statistics.loss)) return statistics;
    total.backward();
  }
  adam_.step();
  if (ratio_.follows()) ratio_.follow(statistics.positive_sigma);
  return statistics;
}

}  // namespace creg
