#include "train/training_step.h"

#include <torch/types.h>

#include <cmath>
#include <numbers>

#include "creg/core/error.h"
#include "graph/transforms.h"
#include "ops/device.h"
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

Model::Model(const Context& context, const TrainConfig& config, const Graph& graph)
    : parameters(context.seed(), device_of(context)),
      encoder(
          make_encoder(config.encoder, feature_cols(graph.features), parameters, graph.nodes())) {
  MethodOptions options = method_options(config, &graph);
  options.first_width = encoder->first_width();
  method = method_of(config).make(options, parameters);
  if (config.regulariser.contrast) {
    regulariser = std::make_unique<ContrastReg>(config.regulariser, config.contrast.log,
                                                config.encoder.dim, parameters);
  }
}

namespace {

/// One value, float64, that no gradient goes through.
at::Tensor plain_value(const Context& context, const at::Tensor& value) {
  return value.defined() ? value.detach().to(at::kDouble)
                         : at::zeros({}, options_on(context, at::kDouble));
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
      model_(context, config, graph),
      adam_(model_.parameters.all(), config.lr, effective_weight_decay(config),
            [this](const std::string& name) { return model_.method->decays(name); }),
      ratio_(context, config.regulariser),
      recorder_(context) {}

bool TrainingStep::starts_round(int epoch) const {
  return model_.method->starts_afresh(epoch);
}

double TrainingStep::ratio() const {
  return ratio_.value().item<double>();
}

double TrainingStep::schedule_rate(int epoch) const {
  if (config_.schedule == Schedule::constant) return 1;
  return (1 + std::cos(std::numbers::pi * epoch / config_.epochs)) / 2;
}

bool TrainingStep::repeats(const GraphInputs& inputs, int epoch) const {
  // Noise is drawn by a number that comes from the host.
  const EncoderOptions& encoder = config_.encoder;
  const bool noise = encoder.dropout > 0 || encoder.attention_dropout > 0 ||
                     encoder.activation == ActivationKind::rrelu;
  return record_ && !inputs.batch && !noise && model_.method->repeats(epoch);
}

StepStatistics TrainingStep::run(const GraphInputs& inputs, int epoch, std::uint32_t step) {
  if (starts_round(epoch)) {
    if (epoch > 0) adam_.restart(config_.lr);
    recorder_.forget();
  }
  adam_.set_lr(config_.lr * schedule_rate(epoch) * model_.method->rate(epoch));
  if (recorder_.records() && repeats(inputs, epoch)) {
    const std::int64_t steps = adam_.steps();
    recorder_.run({.step = step, .adam = adam_.settings()}, [&] { compute(inputs, epoch, step); });
    // A recording counts when it is made, not when it is started.
    adam_.set_steps(steps + 1);
  } else {
    compute(inputs, epoch, step);
  }
  // A copy: the next step may write there.
  return {.values = values_.clone(), .anchors = anchors_, .epoch = epoch, .lr = adam_.lr()};
}

void TrainingStep::compute(const GraphInputs& inputs, int epoch, std::uint32_t step) {
  at::Tensor total;
  at::Tensor positive_sigma;
  {
    EpochPass pass(context_, inputs, *model_.encoder,
                   {.seed = context_.seed(),
                    .epoch = epoch,
                    .step = step,
                    .unit_rows = config_.regulariser.l2norm});
    const EpochLoss contrast = model_.method->loss(pass);
    total = contrast.loss;
    anchors_ = contrast.anchors;
    const auto plain = [&](const at::Tensor& value) { return plain_value(context_, value); };
    positive_sigma = plain(contrast.positive_sigma);
    at::Tensor penalty;
    if (model_.regulariser) {
      penalty = model_.regulariser->loss(pass);
      total = total + ratio_.weighted(penalty);
    }
    // Of the clean embedding, which no loss need have asked for: then it has no way back.
    NormStatistics norms;
    {
      const at::NoGradGuard no_grad;
      norms = norm_statistics(pass.nodes().detach());
    }
    values_ = at::stack({plain(total), plain(contrast.loss), plain(penalty), positive_sigma,
                         plain(contrast.negative_sigma), norms.mean, norms.variance,
                         model_.regulariser ? ratio_.value() : plain({})});
    total.backward();
  }
  total = total.detach();
  adam_.step(total);
  if (ratio_.follows()) ratio_.follow(positive_sigma, total);
}

}  // namespace creg
