#include "creg/train/trainer.h"

#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "core/build_info.h"
#include "core/text.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/methods/entry.h"
#include "ops/runtime.h"
#include "ops/tensors.h"
#include "train/checkpoint.h"
#include "train/layerwise.h"
#include "train/loaded_encoder.h"
#include "train/loop/epoch_steps.h"
#include "train/loop/graph_identity.h"
#include "train/loop/metrics_file.h"
#include "train/loop/resume_checks.h"
#include "train/loop/step_sums.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/training_step.h"

namespace creg {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Epochs between two looks at what is selected by.
constexpr int score_every = 5;

TextPairs config_pairs(const Context& context, const TrainConfig& config) {
  TextPairs pairs;
  for (const Parameter& parameter : train_parameters()) {
    pairs.emplace_back(parameter.key, parameter.get(config));
  }
  pairs.emplace_back("seed", std::to_string(context.seed()));
  return pairs;
}

/// By one pass over the whole graph, or layer by layer where training went by batches (no inputs).
/// A classifier's scores come from `method`, where there is one.
ModelOutput output_of(const Context& context, const Graph& graph, const GraphInputs* inputs,
                      const Encoder& encoder, Method* method, const TrainConfig& config,
                      const std::filesystem::path& scratch) {
  if (inputs == nullptr) {
    return {.embedding = embed_layerwise(context, graph, encoder,
                                         {.encoder = config.encoder,
                                          .unit_rows = config.regulariser.l2norm,
                                          .memory = available_memory() / 4,
                                          .scratch = scratch})};
  }
  const at::NoGradGuard no_grad;
  EpochPass pass(
      context, *inputs, encoder,
      {.seed = context.seed(), .unit_rows = config.regulariser.l2norm, .training = false});
  ModelOutput output{.embedding = as_dense(pass.embedding())};
  if (method == nullptr) return output;
  const at::Tensor scores = method->class_scores(pass);
  if (scores.defined()) output.class_scores = as_dense(scores);
  return output;
}

class Trainer {
 public:
  Trainer(const Context& context, const Graph& graph, const TrainConfig& config,
          const RunFiles& files, TrainObserver* observer, std::span<const std::int32_t> labelled)
      : context_(context),
        graph_(graph),
        config_(config),
        files_(files),
        observer_(observer),
        identity_(graph_identity(context, graph)),
        step_(context, graph, config),
        steps_(context, graph, config, step_.model(), labelled),
        own_classifier_(method_of(config).labels),
        best_(copies(parameters())),
        previous_(copies(parameters())) {}

  TrainResult run() {
    if (files_.resume) resume();
    MetricsFile metrics(files_.directory.empty() ? "" : files_.directory / "metrics.jsonl", epoch_);
    start_ = Clock::now();
    last_checkpoint_ = start_;
    earlier_ = seconds_;
    const bool batches = steps_.per_epoch() > 1;
    ProgressTask progress(context_, config_.method + (batches ? " batches" : " epochs"),
                          config_.epochs * steps_.per_epoch(), batches ? "batches" : "epochs");
    progress.skip(epoch_ * steps_.per_epoch() + sums_.steps());
    if (epoch_ == 0 && sums_.steps() == 0) show(nullptr, false);
    while (epoch_ < config_.epochs && !patience_is_over()) {
      steps_.start(epoch_, sums_.steps());
      while (sums_.steps() + 1 < steps_.per_epoch()) train_batch(progress, metrics);
      const EpochStatistics statistics = train_epoch();
      metrics.add(statistics);
      result_.epochs.push_back(statistics);
      if (observer_ != nullptr) observer_->epoch_done(statistics);
      const bool over = is_over();
      show(&statistics, over);
      const bool stopped = context_.stopped();
      if (stopped || over || step_.starts_round(epoch_) || checkpoint_is_due()) {
        metrics.flush();
        keep_checkpoint();
      }
      if (stopped && !over) throw Interrupted();
      progress.note("loss " + short_number(statistics.loss));
      progress.advance();
    }
    progress.finish_early();
    if (files_.directory.empty()) {
      // Before the best parameters take the place of the last ones.
      Checkpoint last = make_checkpoint();
      last.model = copies(last.model);
      result_.checkpoint = std::make_shared<const Checkpoint>(std::move(last));
    }
    put_values(parameters(), best_);
    current_.reset();
    ModelOutput output = this->output();
    result_.embedding = std::move(output.embedding);
    result_.class_scores = std::move(output.class_scores);
    result_.epochs_run = epoch_;
    result_.best_epoch = best_epoch_;
    result_.seconds = earlier_ + seconds_since(start_);
    return std::move(result_);
  }

 private:
  static std::string short_number(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.size() - 2);
  }

  bool patience_is_over() const { return config_.patience > 0 && waited_ > config_.patience; }

  const std::vector<NamedTensor>& parameters() const { return step_.model().parameters.all(); }

  bool is_over() const { return epoch_ == config_.epochs || patience_is_over(); }

  /// By the parameters as they are now; made once however many ask.
  const ModelOutput& output() {
    if (!current_) {
      current_ = output_of(context_, graph_, steps_.whole(), *step_.model().encoder,
                           step_.model().method.get(), config_, files_.directory);
    }
    return *current_;
  }

  void show(const EpochStatistics* statistics, bool over) {
    if (observer_ == nullptr || !observer_->wants_snapshot(epoch_, over)) return;
    observer_->look({.epochs_done = epoch_,
                     .over = over,
                     .statistics = statistics,
                     .embedding = output().embedding});
  }

  bool checkpoint_is_due() const {
    return seconds_since(last_checkpoint_) >= files_.checkpoint_seconds;
  }

  void train_step() {
    const Clock::time_point start = Clock::now();
    current_.reset();
    StepStatistics statistics =
        step_.run(steps_.next(), epoch_, steps_.draw(epoch_, sums_.steps()));
    const EpochStatistics seen = on_host(statistics);
    if (!std::isfinite(seen.loss)) fail_not_finite(seen);
    statistics.seconds = seconds_since(start);
    sums_.add(statistics);
  }

  /// A batch that is not its epoch's last.
  void train_batch(ProgressTask& progress, MetricsFile& metrics) {
    train_step();
    const bool stopped = context_.stopped();
    if (stopped || checkpoint_is_due()) {
      metrics.flush();
      keep_checkpoint();
    }
    if (stopped) throw Interrupted();
    progress.note("loss " + short_number(sums_.mean().loss));
    progress.advance();
  }

  /// The last step of an epoch, or the only one.
  EpochStatistics train_epoch() {
    train_step();
    EpochStatistics statistics = sums_.mean();
    sums_ = {};
    ++epoch_;
    const Clock::time_point start = Clock::now();
    judge(statistics);
    statistics.seconds += seconds_since(start);
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
        // The last one so far: a run may end at any time.
        keep = true;
        break;
      case Select::val:
      case Select::calibration:
      case Select::val_ece:
      case Select::clustering_peek: {
        if (epoch_ % (own_classifier_ ? 1 : score_every) != 0 && !is_over()) break;
        const double score = score_now();
        if (config_.select == Select::val) statistics.val_accuracy = score;
        if (config_.select == Select::calibration || config_.select == Select::val_ece) {
          statistics.calibration_score = score;
        }
        keep = best_epoch_ < 0 || score > best_score_;
        if (keep) best_score_ = score;
        break;
      }
    }
    if (!keep) return;
    // Whether the step was a good one shows only in the next epoch's loss: the one before stays.
    std::swap(best_, previous_);
    previous_epoch_ = best_epoch_;
    best_epoch_ = statistics.epoch;
    put_values(best_, parameters());
  }

  double score_now() {
    std::optional<double> score;
    if (observer_ != nullptr) score = observer_->score(config_.select, output());
    if (score) return *score;
    const bool labels = config_.select != Select::calibration;
    fail_input({.what = "nothing to select by",
                .file = "select",
                .found = name_of(config_.select),
                .expected = labels ? "labels and a split with a validation part"
                                   : "an observer that measures calibration",
                .hint = "--select loss and --select calibration need no labels"});
  }

  [[noreturn]] void fail_not_finite(const EpochStatistics& statistics) {
    // These parameters are what the last step of the epoch before left.
    if (best_epoch_ == statistics.epoch - 1 && sums_.steps() == 0) {
      best_ = previous_;
      best_epoch_ = previous_epoch_;
    }
    std::string kept =
        best_epoch_ < 0 ? "; the parameters it began with are kept"
                        : "; the parameters of epoch " + std::to_string(best_epoch_) + " are kept";
    if (!files_.directory.empty()) kept += " in " + (files_.directory / "checkpoint.pt").string();
    put_values(parameters(), best_);
    const std::string batch =
        steps_.per_epoch() > 1 ? ", batch " + std::to_string(sums_.steps()) : "";
    keep_checkpoint();
    fail_environment(
        {.what =
             "the loss is not finite at epoch " + std::to_string(statistics.epoch) + batch + kept,
         .found = "contrast " + std::to_string(statistics.contrast) + ", regulariser " +
                  std::to_string(statistics.regulariser) + ", mean length of embeddings " +
                  std::to_string(statistics.norm_mean),
         .hint = "most often the learning rate is too high (--lr is " +
                 find_parameter("lr").get(config_) +
                 ") or the features are very large (try --pre-norm)"});
  }

  void keep_checkpoint() {
    last_checkpoint_ = Clock::now();
    seconds_ = earlier_ + seconds_since(start_);
    if (!files_.directory.empty()) {
      write_checkpoint(files_.directory / "checkpoint.pt", make_checkpoint());
    }
  }

  Checkpoint make_checkpoint() const {
    Checkpoint checkpoint;
    checkpoint.model = parameters();
    checkpoint.moments1 = step_.optimiser().moments1();
    checkpoint.moments2 = step_.optimiser().moments2();
    checkpoint.optimizer_steps = step_.optimiser().steps();
    checkpoint.best_model = best_;
    checkpoint.method_state = step_.model().method->state();
    checkpoint.epoch = epoch_;
    checkpoint.step = sums_.steps();
    checkpoint.step_sums = sums_.tensor();
    checkpoint.best_epoch = best_epoch_;
    checkpoint.epochs_without_gain = waited_;
    checkpoint.lowest_loss = lowest_loss_;
    checkpoint.best_score = best_score_;
    checkpoint.ratio = step_.ratio();
    checkpoint.lr = step_.optimiser().lr();
    checkpoint.seconds = seconds_;
    checkpoint.config = config_pairs(context_, config_);
    checkpoint.graph = identity_;
    checkpoint.version = build_info().version;
    return checkpoint;
  }

  /// Everything is checked before anything is used.
  void resume() {
    const std::string file = (files_.directory / "checkpoint.pt").string();
    Checkpoint kept = read_checkpoint(file);
    check_resumable(kept, identity_, config_pairs(context_, config_), file);
    check_progress(kept, {.epochs = config_.epochs,
                          .steps_per_epoch = steps_.per_epoch(),
                          .lr = config_.lr,
                          .file = file});
    const auto fit = [&](std::vector<NamedTensor>& values, const char* section) {
      values = fitting(parameters(), values, {.file = file, .section = section});
      for (NamedTensor& one : values) one.value = on_device(context_, one.value);
    };
    fit(kept.model, "model");
    fit(kept.best_model, "best_model");
    fit(kept.moments1, "moment1");
    fit(kept.moments2, "moment2");
    if (kept.step > 0) sums_.put_back(kept.step_sums, kept.step);
    for (NamedTensor& one : kept.method_state) one.value = on_device(context_, one.value);
    Method& method = *step_.model().method;
    method.restore(kept.method_state);
    // A method that keeps other things than the file has would go on without them.
    fitting(method.state(), kept.method_state, {.file = file, .section = "method"});

    put_values(parameters(), kept.model);
    put_values(best_, kept.best_model);
    put_values(previous_, kept.best_model);
    step_.optimiser().restart(kept.lr);
    step_.optimiser().put_back(std::move(kept.moments1), std::move(kept.moments2),
                               kept.optimizer_steps);
    epoch_ = static_cast<int>(kept.epoch);
    best_epoch_ = static_cast<int>(kept.best_epoch);
    previous_epoch_ = best_epoch_;
    waited_ = static_cast<int>(kept.epochs_without_gain);
    lowest_loss_ = kept.lowest_loss;
    best_score_ = kept.best_score;
    step_.set_ratio(kept.ratio);
    seconds_ = kept.seconds;
  }

  const Context& context_;
  const Graph& graph_;
  TrainConfig config_;
  RunFiles files_;
  TrainObserver* observer_;
  TextPairs identity_;
  TrainingStep step_;
  EpochSteps steps_;
  TrainResult result_;

  StepSums sums_;        // of the batches done of epoch number epoch_
  int epoch_ = 0;        // done so far
  int best_epoch_ = -1;  // none yet: the parameters at the start
  int previous_epoch_ = -1;
  int waited_ = 0;
  double lowest_loss_ = std::numeric_limits<double>::infinity();
  double best_score_ = 0;
  bool own_classifier_;                 // its scores cost no classifier to be fitted
  std::optional<ModelOutput> current_;  // by the parameters as they are
  std::vector<NamedTensor> best_;
  std::vector<NamedTensor> previous_;  // what was best before `best_`
  double seconds_ = 0;                 // in all, at the last checkpoint
  double earlier_ = 0;                 // before this call
  Clock::time_point start_;
  Clock::time_point last_checkpoint_;
};

/// A method that computes its embedding and trains nothing.
TrainResult compute(const Context& context, const Graph& graph, const TrainConfig& config) {
  const auto start = Clock::now();
  ComputedEmbedding found =
      method_of(config).compute(context, graph, method_options(config, &graph));
  TrainResult result;
  result.embedding = std::move(found.embedding);
  result.epochs_run = found.rounds;
  result.best_epoch = found.chosen;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

TrainResult train(const Context& context, const Graph& graph, const TrainConfig& config,
                  const RunFiles& files, TrainObserver* observer,
                  std::span<const std::int32_t> labelled) {
  check_config(config);
  prepare_torch(context);
  const Graph prepared = with_prepared_features(context, graph, config);
  if (method_of(config).encoders.empty()) return compute(context, prepared, config);
  return Trainer(context, prepared, config, files, observer, labelled).run();
}

void write_training(const std::filesystem::path& directory, const TrainResult& result) {
  if (result.checkpoint) write_checkpoint(directory / "checkpoint.pt", *result.checkpoint);
  MetricsFile metrics(directory / "metrics.jsonl", 0);
  for (const EpochStatistics& epoch : result.epochs) metrics.add(epoch);
  metrics.flush();
}

void check_trained_on(const Context& context, const Graph& graph,
                      const std::filesystem::path& checkpoint) {
  const std::string difference =
      differences(read_checkpoint(checkpoint).graph, edges_identity(context, graph));
  if (difference.empty()) return;
  fail_input({.what = "the encoder was trained on other edges than these",
              .file = checkpoint.string(),
              .found = difference,
              .expected = "the edges of " + in_quotes(graph.name) + " as they are given here"});
}

std::optional<KeptRegulariser> kept_regulariser(const std::filesystem::path& checkpoint) {
  const Checkpoint kept = read_checkpoint(checkpoint);
  for (const NamedTensor& parameter : kept.best_model) {
    if (parameter.name == "regulariser.weight") {
      const std::int64_t dim = config_of(kept).encoder.dim;
      if (parameter.value.sizes() != at::IntArrayRef({dim, dim})) {
        fail_input({.what = "the checkpoint does not fit its own configuration",
                    .file = checkpoint.string(),
                    .place = parameter.name,
                    .found = counted(parameter.value.numel(), "value"),
                    .expected = std::to_string(dim) + " x " + std::to_string(dim)});
      }
      return KeptRegulariser{as_dense(parameter.value.detach()), config_of(kept)};
    }
  }
  return std::nullopt;
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
  const LoadedEncoder loaded = load_encoder(context, kept, checkpoint.string(), prepared);
  const auto output = [&](const GraphInputs* inputs) {
    return output_of(context, prepared, inputs, *loaded.encoder, nullptr, config, {}).embedding;
  };
  if (config.batch.size > 0 && runs_in_batches(config.encoder)) return output(nullptr);
  const GraphInputs inputs(context, prepared, config.encoder);
  return output(&inputs);
}

}  // namespace creg
