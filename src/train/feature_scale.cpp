#include "train/feature_scale.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "contrast/part_inputs.h"
#include "core/parse_value.h"
#include "creg/contrast/epoch_pass.h"
#include "ops/device.h"
#include "train/epoch_steps.h"
#include "train/loaded_encoder.h"
#include "train/training_step.h"

namespace creg {
namespace {

constexpr double smallest = 1e-12;
constexpr double largest = 1e12;

/// A program's own encoder is made once, and may scale what it sees by itself.
bool can_be_measured(const EncoderOptions& encoder) {
  return !encoder.added && encoder.kind != EncoderKind::table;
}

double rounded(double value) {
  constexpr int digits = 3;
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::scientific, digits - 1);
  std::from_chars(text.data(), written.ptr, value);
  return value;
}

double mean_length(const Context& context, const GraphInputs& inputs, const Encoder& encoder) {
  const at::NoGradGuard no_grad;
  EpochPass pass(context, inputs, encoder, {.seed = context.seed(), .training = false});
  const at::Tensor lengths = pass.nodes().norm(2, 1, true);
  return (inputs.part ? inputs.part->mean_of_rows(lengths) : lengths.mean(0)).item<double>();
}

/// Lengths grow with the features, but not by the same factor where layers begin with biases, and
/// not at all behind layers that normalise what they see.
double measured(const Context& context, const GraphInputs& given, const Encoder& encoder) {
  constexpr int most_rounds = 6;
  constexpr double close_enough = 1e-3;
  constexpr double least_growth = 0.1;  // of lengths, in orders of magnitude of the features
  const double first = mean_length(context, given, encoder);
  if (first == 0 || !std::isfinite(first)) return 1;
  GraphInputs inputs = given;
  double length = first;
  double scale = 1;
  double growth = 1;
  for (int round = 0; round < most_rounds && std::abs(length - 1) > close_enough; ++round) {
    const double next = std::clamp(scale * std::pow(length, -1 / growth), smallest, largest);
    if (next == scale) break;
    inputs.features = given.features.scaled(next);
    const double found = mean_length(context, inputs, encoder);
    if (found == 0 || !std::isfinite(found)) return 1;
    growth = std::log(found / length) / std::log(next / scale);
    if (!(growth > least_growth)) return 1;
    length = found;
    scale = next;
  }
  return rounded(scale);
}

TrainConfig with_scale(const Context& context, TrainConfig config, double scale) {
  config.auto_feature_scale = false;
  config.encoder.feature_scale = scale;
  context.log().write(LogLevel::info, "features are multiplied by " + number_text(scale));
  return config;
}

}  // namespace

TrainConfig with_feature_scale(const Context& context, const Graph& graph,
                               const TrainConfig& config) {
  if (!config.auto_feature_scale) return config;
  if (!can_be_measured(config.encoder)) return with_scale(context, config, 1);
  if (config.batch.size == 0) {
    ParameterList parameters(context.seed(), device_of(context));
    const auto encoder =
        make_encoder(config.encoder, feature_cols(graph.features), parameters, graph.nodes());
    const GraphInputs inputs(context, graph, config.encoder);
    return with_scale(context, config, measured(context, inputs, *encoder));
  }
  TrainConfig one_batch = config;
  one_batch.batch.per_epoch = 1;
  const Model model(context, one_batch, graph);
  EpochSteps steps(context, graph, one_batch, model, {});
  steps.start(0, 0);
  return with_scale(context, config, measured(context, steps.next(), *model.encoder));
}

TrainConfig with_feature_scale(const Context& context, const PartOfRun& part,
                               const TrainConfig& config) {
  if (!config.auto_feature_scale) return config;
  if (!can_be_measured(config.encoder)) return with_scale(context, config, 1);
  // Ranks stop together, or not at all.
  const Context waiting = without_stop(context);
  const Graph& own = part.part.graph;
  ParameterList parameters(context.seed(), device_of(context));
  const auto encoder =
      make_encoder(config.encoder, feature_cols(own.features), parameters, own.nodes());
  const GraphInputs inputs = part_inputs(waiting, part.part, part.exchange, config.encoder);
  return with_scale(context, config, measured(waiting, inputs, *encoder));
}

TrainConfig with_feature_scale(const Checkpoint& kept, const TrainConfig& config) {
  if (!config.auto_feature_scale) return config;
  const TrainConfig before = config_of(kept);
  TrainConfig found = config;
  found.auto_feature_scale = before.auto_feature_scale;
  found.encoder.feature_scale = before.encoder.feature_scale;
  return found;
}

}  // namespace creg
