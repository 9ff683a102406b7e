#include "train/training_step.h"

#include <torch/types.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "creg/core/error.h"
#include "graph/transforms.h"
#include "ops/device.h"
#include "ops/row_norms.h"
#include "train/loop/part_sums.h"
#include "train/made_features.h"

namespace creg {

Graph with_prepared_features(const Context& context, Graph graph, const TrainConfig& config) {
  if (!has_features(graph.features)) {
    if (config.encoder.kind == EncoderKind::table) return graph;
    if (makes_features(0, config)) return with_made_features(context, std::move(graph), config);
    fail_input({.what = "the dataset has no features, and an encoder needs some",
                .file = graph.name,
                .hint = "give a table with --features FILE or the key `features`, or leave "
                        "--structure-features at its default; labels are not needed for "
                        "training"});
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

}  // namespace

Context without_stop(const Context& context) {
  Context::Options options = context.options();
  options.stop = nullptr;
  return Context(options);
}

TrainingStep::TrainingStep(const Context& context, const Graph& graph, const TrainConfig& config)
    // An epoch that has begun is finished: its long passes do not notice Ctrl-C.
    : context_(without_stop(context)),
      config_(config),
      model_(context, config, graph),
      adam_(model_.parameters.all(), config.lr, effective_weight_decay(config),
            [this](const std::string& name) { return model_.method->decays(name); }),
      ratio_(context, config.regulariser),
      halt_(at::zeros({}, options_on(context, at::kFloat))),
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
  // A batch has inputs of its own, be they start nodes alone, and nobody knows what a program's own
  // encoder does.
  return record_ && !config_.encoder.added && !inputs.batch && !inputs.seeds.defined() &&
         model_.method->repeats(epoch);
}

void TrainingStep::begin_update(int epoch) {
  if (starts_round(epoch)) {
    if (epoch > 0) adam_.restart(config_.lr);
    recorder_.forget();
  }
  adam_.set_lr(config_.lr * schedule_rate(epoch) * model_.method->rate(epoch));
}

StepStatistics TrainingStep::run(const GraphInputs& inputs, int epoch, std::uint32_t step) {
  begin_update(epoch);
  if (recorder_.records() && repeats(inputs, epoch)) {
    const std::int64_t steps = adam_.steps();
    recorder_.run({.step = step, .adam = adam_.settings(), .own = model_.method->moving(epoch)},
                  [&] { compute(inputs, epoch, step); });
    // A recording counts when it is made, not when it is started.
    adam_.set_steps(steps + 1);
  } else {
    // What a recording reads may not be what it was after this.
    recorder_.forget();
    recorder_.run_plainly([&] { compute(inputs, epoch, step); });
  }
  return {.values = values_, .anchors = anchors_, .epoch = epoch, .lr = adam_.lr()};
}

std::int64_t TrainingStep::gradient_numbers() const {
  std::int64_t numbers = 0;
  for (const NamedTensor& parameter : model_.parameters.all()) numbers += parameter.value.numel();
  return numbers + static_cast<std::int64_t>(model_.parameters.all().size());
}

StepStatistics TrainingStep::gradient(const GraphInputs& inputs, int epoch, std::uint32_t step,
                                      at::Tensor& gradient) {
  invariant(!inputs.part, "the gradients of parts are added up where they arise");
  backward(inputs, epoch, step);
  std::vector<at::Tensor> flat;
  std::vector<float> there;
  for (const NamedTensor& parameter : model_.parameters.all()) {
    // A handle of its own: it shares the parameter.
    at::Tensor value = parameter.value;
    at::Tensor& own = value.mutable_grad();
    there.push_back(own.defined() ? 1 : 0);
    flat.push_back(own.defined() ? own.flatten() : at::zeros_like(value.detach()).flatten());
    own.reset();
  }
  flat.push_back(at::tensor(there, flat.front().options().requires_grad(false)));
  gradient = at::cat(flat);
  return {.values = values_, .anchors = anchors_, .epoch = epoch, .lr = adam_.lr()};
}

void TrainingStep::update(const at::Tensor& gradient, const at::Tensor& positive_sigma) {
  const std::vector<NamedTensor>& parameters = model_.parameters.all();
  const auto count = static_cast<std::int64_t>(parameters.size());
  const at::Tensor there = gradient.narrow(0, gradient.numel() - count, count).cpu();
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    at::Tensor value = parameters[static_cast<std::size_t>(i)].value;
    if (there[i].item<float>() > 0) {
      value.mutable_grad() = gradient.narrow(0, first, value.numel()).view_as(value);
    }
    first += value.numel();
  }
  whole_ = false;
  adam_.step();
  if (ratio_.follows()) {
    ratio_.follow(positive_sigma.to(halt_.device()), at::zeros_like(halt_));
  }
  whole_ = true;
}

void TrainingStep::compute(const GraphInputs& inputs, int epoch, std::uint32_t step) {
  Loss loss = backward(inputs, epoch, step);
  if (inputs.part) {
    // Of shares what all ranks have together: from here on they do the same.
    anchors_ = add_up_parts(*inputs.part, values_, anchors_);
    add_up_gradients(*inputs.part, model_.parameters.all());
    loss.total = values_[0].to(at::kFloat);
    loss.positive_sigma = values_[3];
  }
  const at::Tensor guard = loss.total + halt_;
  whole_ = false;
  adam_.step(guard);
  if (ratio_.follows()) ratio_.follow(loss.positive_sigma, guard);
  whole_ = true;
}

TrainingStep::Loss TrainingStep::backward(const GraphInputs& inputs, int epoch,
                                          std::uint32_t step) {
  at::Tensor total;
  at::Tensor positive_sigma;
  if (inputs.part) inputs.part->begin_step();
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
    if (inputs.part) total = inputs.part->end_step(total);
    total.backward();
  }
  return {.total = total.detach(), .positive_sigma = positive_sigma};
}

}  // namespace creg
