#include "creg/train/trainer.h"

#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "creg/contrast/epoch_pass.h"
#include "creg/core/build_info.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/core/text.h"
#include "creg/ops/runtime.h"
#include "creg/ops/tensors.h"
#include "creg/train/parameters.h"
#include "train/checkpoint.h"
#include "train/graph_identity.h"
#include "train/metrics_file.h"
#include "train/training_step.h"

namespace creg {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Epochs between two looks at the validation accuracy.
constexpr int val_every = 5;

TextPairs config_pairs(const Context& context, const TrainConfig& config) {
  TextPairs pairs;
  for (const Parameter& parameter : train_parameters()) {
    pairs.emplace_back(parameter.key, parameter.get(config));
  }
  pairs.emplace_back("seed", std::to_string(context.seed()));
  return pairs;
}

std::vector<NamedTensor> copies(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> out;
  for (const NamedTensor& tensor : tensors) {
    out.push_back({tensor.name, tensor.value.detach().clone()});
  }
  return out;
}

/// Copies values by name into parameters of the same shapes.
void put_values(const std::vector<NamedTensor>& parameters, const std::vector<NamedTensor>& values,
                const std::string& file) {
  const at::NoGradGuard no_grad;
  for (const NamedTensor& parameter : parameters) {
    const NamedTensor* found = nullptr;
    for (const NamedTensor& value : values) {
      if (value.name == parameter.name) found = &value;
    }
    if (found == nullptr || found->value.sizes() != parameter.value.sizes()) {
      fail_input(
          {.what = "the checkpoint does not fit the model",
           .file = file,
           .place = parameter.name,
           .expected = "a tensor of " + std::to_string(parameter.value.numel()) + " values"});
    }
    parameter.value.detach().copy_(found->value);
  }
}

DenseMatrix embedding_of(const Context& context, const GraphInputs& inputs, const Encoder& encoder,
                         const TrainConfig& config) {
  const at::NoGradGuard no_grad;
  EpochPass pass(
      context, inputs, encoder,
      {.seed = context.seed(), .unit_rows = config.regulariser.l2norm, .training = false});
  return as_dense(pass.embedding());
}

TrainConfig config_of(const Checkpoint& checkpoint) {
  TrainConfig config;
  for (const auto& [key, value] : checkpoint.config) {
    if (key != "seed") find_parameter(key).set(config, value);
  }
  return config;
}

class Trainer {
 public:
  Trainer(const Context& context, const Graph& graph, const TrainConfig& config,
          const RunFiles& files, TrainObserver* observer)
      : context_(context),
        config_(config),
        files_(files),
        observer_(observer),
        identity_(graph_identity(context, graph)),
        step_(context, graph, config),
        best_(copies(parameters())),
        previous_(copies(parameters())) {}

  TrainResult run() {
    if (files_.resume) resume();
    MetricsFile metrics(files_.directory.empty() ? "" : files_.directory / "metrics.jsonl", epoch_);
    const Clock::time_point start = Clock::now();
    const double earlier = seconds_;
    last_checkpoint_ = start;
    ProgressTask progress(context_, config_.method + " epochs", config_.epochs, "epochs");
    progress.skip(epoch_);
    while (epoch_ < config_.epochs && !patience_is_over()) {
      const EpochStatistics statistics = train_epoch();
      metrics.add(statistics);
      result_.epochs.push_back(statistics);
      if (observer_ != nullptr) observer_->epoch_done(statistics);
      seconds_ = earlier + seconds_since(start);
      const bool over = epoch_ == config_.epochs || patience_is_over();
      const bool stopped = context_.stopped();
      if (stopped || over || step_.starts_round(epoch_) ||
          seconds_since(last_checkpoint_) >= files_.checkpoint_seconds) {
        metrics.flush();
        keep_checkpoint();
      }
      if (stopped && !over) throw Interrupted();
      progress.note("loss " + short_number(statistics.loss));
      progress.advance();
    }
    progress.finish_early();
    put_values(parameters(), best_, "");
    result_.embedding = embedding();
    result_.epochs_run = epoch_;
    result_.best_epoch = best_epoch_;
    result_.seconds = earlier + seconds_since(start);
    return std::move(result_);
  }

 private:
  static std::string short_number(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.size() - 2);
  }

  bool patience_is_over() const { return config_.patience > 0 && waited_ > config_.patience; }

  const std::vector<NamedTensor>& parameters() const { return step_.model().parameters.all(); }

  DenseMatrix embedding() const {
    return embedding_of(context_, step_.inputs(), *step_.model().encoder, config_);
  }

  EpochStatistics train_epoch() {
    const Clock::time_point start = Clock::now();
    EpochStatistics statistics = step_.run(epoch_);
    if (!std::isfinite(statistics.loss)) fail_not_finite(statistics);
    ++epoch_;
    judge(statistics);
    statistics.seconds = seconds_since(start);
    return statistics;
  }

  /// Keeps the parameters, as the step has just left them, where they are the best so far. Patience
  /// counts epochs without a lower loss whatever is selected by.
  void judge(EpochStatistics& statistics) {
    const bool lower = statistics.loss < lowest_loss_;
    const bool as_low = statistics.loss <= lowest_loss_;
    lowest_loss_ = std::min(lowest_loss_, statistics.loss);
    waited_ = lower ? 0 : as_low ? waited_ : waited_ + 1;
    bool keep = false;
    switch (config_.select) {
      case Select::loss:
        keep = as_low;
        break;
      case Select::last:
        keep = epoch_ == config_.epochs || patience_is_over();
        break;
      case Select::val: {
        const bool last = epoch_ == config_.epochs || patience_is_over();
        if (epoch_ % val_every != 0 && !last) break;
        if (observer_ != nullptr) statistics.val_accuracy = observer_->val_accuracy(embedding());
        if (!statistics.val_accuracy) {
          fail_input({.what = "no validation accuracy to select by",
                      .file = "select",
                      .found = "val",
                      .expected = "labels and a split with a validation part",
                      .hint = "--select loss needs no labels"});
        }
        keep = best_epoch_ < 0 || *statistics.val_accuracy > best_accuracy_;
        if (keep) best_accuracy_ = *statistics.val_accuracy;
        break;
      }
    }
    if (!keep) return;
    // Whether the step was a good one shows only in the next epoch's loss: the one before stays.
    std::swap(best_, previous_);
    previous_epoch_ = best_epoch_;
    best_epoch_ = statistics.epoch;
    put_values(best_, parameters(), "");
  }

  [[noreturn]] void fail_not_finite(const EpochStatistics& statistics) {
    // These parameters are what the step of the epoch before left.
    if (best_epoch_ == statistics.epoch - 1) {
      best_ = previous_;
      best_epoch_ = previous_epoch_;
    }
    std::string kept =
        best_epoch_ < 0 ? "; the parameters it began with are kept"
                        : "; the parameters of epoch " + std::to_string(best_epoch_) + " are kept";
    if (!files_.directory.empty()) kept += " in " + (files_.directory / "checkpoint.pt").string();
    put_values(parameters(), best_, "");
    keep_checkpoint();
    fail_environment(
        {.what = "the loss is not finite at epoch " + std::to_string(statistics.epoch) + kept,
         .found = "contrast " + std::to_string(statistics.contrast) + ", regulariser " +
                  std::to_string(statistics.regulariser) + ", mean length of embeddings " +
                  std::to_string(statistics.norm_mean),
         .hint = "most often the learning rate is too high (--lr is " +
                 find_parameter("lr").get(config_) +
                 ") or the features are very large (try --pre-norm)"});
  }

  void keep_checkpoint() {
    last_checkpoint_ = Clock::now();
    if (files_.directory.empty()) return;
    Checkpoint checkpoint;
    checkpoint.model = parameters();
    checkpoint.moments1 = step_.optimiser().moments1();
    checkpoint.moments2 = step_.optimiser().moments2();
    checkpoint.optimizer_steps = step_.optimiser().steps();
    checkpoint.best_model = best_;
    checkpoint.method_state = step_.model().method->state();
    checkpoint.epoch = epoch_;
    checkpoint.best_epoch = best_epoch_;
    checkpoint.epochs_without_gain = waited_;
    checkpoint.lowest_loss = lowest_loss_;
    checkpoint.best_accuracy = best_accuracy_;
    checkpoint.lr = step_.optimiser().lr();
    checkpoint.seconds = seconds_;
    checkpoint.config = config_pairs(context_, config_);
    checkpoint.graph = identity_;
    checkpoint.version = build_info().version;
    write_checkpoint(files_.directory / "checkpoint.pt", checkpoint);
  }

  void resume() {
    const std::filesystem::path path = files_.directory / "checkpoint.pt";
    Checkpoint checkpoint = read_checkpoint(path);
    check_resumable(checkpoint, identity_, config_pairs(context_, config_), path.string());
    put_values(parameters(), checkpoint.model, path.string());
    put_values(best_, checkpoint.best_model, path.string());
    put_values(previous_, checkpoint.best_model, path.string());
    step_.optimiser().restart(checkpoint.lr);
    step_.optimiser().put_back(std::move(checkpoint.moments1), std::move(checkpoint.moments2),
                               checkpoint.optimizer_steps);
    step_.model().method->restore(checkpoint.method_state);
    epoch_ = static_cast<int>(checkpoint.epoch);
    best_epoch_ = static_cast<int>(checkpoint.best_epoch);
    previous_epoch_ = best_epoch_;
    waited_ = static_cast<int>(checkpoint.epochs_without_gain);
    lowest_loss_ = checkpoint.lowest_loss;
    best_accuracy_ = checkpoint.best_accuracy;
    seconds_ = checkpoint.seconds;
  }

  const Context& context_;
  TrainConfig config_;
  RunFiles files_;
  TrainObserver* observer_;
  TextPairs identity_;
  TrainingStep step_;
  TrainResult result_;

  int epoch_ = 0;        // done so far
  int best_epoch_ = -1;  // none yet: the parameters at the start
  int previous_epoch_ = -1;
  int waited_ = 0;
  double lowest_loss_ = std::numeric_limits<double>::infinity();
  double best_accuracy_ = 0;
  std::vector<NamedTensor> best_;
  std::vector<NamedTensor> previous_;  // what was best before `best_`
  double seconds_ = 0;
  Clock::time_point last_checkpoint_;
};

}  // namespace

TrainResult train(const Context& context, const Graph& graph, const TrainConfig& config,
                  const RunFiles& files, TrainObserver* observer) {
  check_config(config);
  prepare_torch(context);
  const Graph prepared = with_prepared_features(context, graph, config);
  return Trainer(context, prepared, config, files, observer).run();
}

TrainConfig checkpoint_config(const std::filesystem::path& checkpoint) {
  return config_of(read_checkpoint(checkpoint));
}

DenseMatrix embed(const Context& context, const Graph& graph,
                  const std::filesystem::path& checkpoint) {
  prepare_torch(context);
  const Checkpoint kept = read_checkpoint(checkpoint);
  const TrainConfig config = config_of(kept);
  const Graph prepared = with_prepared_features(context, graph, config);
  const std::int64_t width = feature_cols(prepared.features);
  for (const auto& [key, value] : kept.graph) {
    if (key == "feature_width" && value != std::to_string(width)) {
      fail_input({.what = "the graph's features do not fit the encoder",
                  .file = graph.name,
                  .found = with_commas(width) + " features",
                  .expected = value + ", as in " + checkpoint.string()});
    }
  }
  ParameterList parameters(0);
  const std::unique_ptr<Encoder> encoder = make_encoder(config.encoder, width, parameters);
  put_values(parameters.all(), kept.best_model, checkpoint.string());
  const GraphInputs inputs(context, prepared, encoder->aggregation());
  return embedding_of(context, inputs, *encoder, config);
}

}  // namespace creg
