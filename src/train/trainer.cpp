#include "creg/train/trainer.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "comm/communicator.h"
#include "contrast/part_inputs.h"
#include "core/build_info.h"
#include "core/text.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/methods/entry.h"
#include "ops/kept_best.h"
#include "ops/runtime.h"
#include "ops/tensors.h"
#include "train/checkpoint.h"
#include "train/epoch_steps.h"
#include "train/feature_scale.h"
#include "train/loaded_encoder.h"
#include "train/loop/batch_updates.h"
#include "train/loop/device_memory.h"
#include "train/loop/graph_identity.h"
#include "train/loop/metrics_file.h"
#include "train/loop/resume_checks.h"
#include "train/loop/step_sums.h"
#include "train/made_features.h"
#include "train/model_output.h"
#include "train/parameters.h"
#include "train/part_traffic.h"
#include "train/part_training.h"
#include "train/same_ranks.h"
#include "train/training_step.h"

namespace creg {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Epochs between two looks at what is selected by.
constexpr int score_every = 5;

// A GPU is given this much work before the host looks at what came of it: as often progress is
// shown, and Ctrl-C noticed.
constexpr double seconds_ahead = 0.1;
constexpr int most_epochs_ahead = 256;

TextPairs config_pairs(const Context& context, const TrainConfig& config) {
  TextPairs pairs;
  for (const Parameter& parameter : train_parameters()) {
    pairs.emplace_back(parameter.key, parameter.get(config));
  }
  pairs.emplace_back("seed", std::to_string(context.seed()));
  return pairs;
}

class Trainer {
 public:
  /// `identity` is the graph's.
  Trainer(const Context& context, const Graph& graph, TextPairs identity, const TrainConfig& config,
          const RunFiles& files, TrainObserver* observer, std::span<const std::int32_t> labelled)
      : context_(context),
        graph_(graph),
        config_(config),
        files_(files),
        observer_(observer),
        world_(files.world.get()),
        identity_(std::move(identity)),
        step_(context, graph, config),
        steps_(context, graph, config, step_.model(), labelled, share_of(config)),
        own_classifier_(method_of(config).labels),
        best_(copies(parameters())),
        previous_(copies(parameters())) {
    if (world_ != nullptr) check_same_on_all();
    if (world_ != nullptr || config.batch.per_update > 1) {
      updates_ = std::make_unique<BatchUpdates>(world_, step_, steps_);
    }
  }

  /// On a part, together with the ranks that have the others.
  Trainer(const Context& context, const PartOfRun& part, const TrainConfig& config,
          const RunFiles& files, TrainObserver* observer, std::span<const std::int32_t> labelled)
      : context_(context),
        graph_(part.part.graph),
        config_(config),
        files_(files),
        observer_(observer),
        part_(part.exchange),
        identity_(part.identity),
        step_(context, graph_, config),
        steps_(context, graph_, config,
               part_inputs(without_stop(context), part.part, part.exchange, config.encoder),
               labelled),
        own_classifier_(method_of(config).labels),
        best_(copies(parameters())),
        previous_(copies(parameters())) {}

  TrainResult run() {
    if (files_.resume) resume();
    metrics_.emplace(keeps_files() ? files_.directory / "metrics.jsonl" : "", epoch_);
    if (runs_ahead()) {
      kept_.emplace(tensors_of(parameters()), tensors_of(best_), tensors_of(previous_),
                    step_.halt(),
                    KeptBest::Options{.always = config_.select == Select::last,
                                      .lowest = lowest_loss_,
                                      .most = most_epochs_ahead});
    }
    start_ = Clock::now();
    last_checkpoint_ = start_;
    earlier_ = seconds_;
    if (world_ != nullptr) check_same_progress();
    const bool batches = steps_.per_epoch() > 1;
    // Ctrl-C is looked for between epochs here; what counts them would throw on its own.
    const Context counting =
        files_.return_stopped || world_ != nullptr || part_ ? without_stop(context_) : context_;
    ProgressTask progress(counting, config_.method + (batches ? " batches" : " epochs"),
                          config_.epochs * steps_.per_epoch(), batches ? "batches" : "epochs");
    progress.skip(epoch_ * steps_.per_epoch() + sums_.steps());
    try {
      train_epochs(progress);
    } catch (const std::exception& error) {
      if (!is_out_of_memory(error)) throw;
      fail_out_of_memory(error);
    }
    if (!result_.stopped) progress.finish_early();
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
  void train_epochs(ProgressTask& progress) {
    if (epoch_ == 0 && sums_.steps() == 0) show(nullptr, false);
    while (epoch_ < config_.epochs && !patience_is_over()) {
      std::int64_t before = epoch_;
      if (kept_) {
        train_ahead();
      } else {
        steps_.start(epoch_, sums_.steps());
        while (sums_.steps() + per_update() < steps_.per_epoch()) {
          train_batch(progress);
          if (result_.stopped) return;
        }
        before -= steps_.per_epoch() - sums_.steps() - 1;
        tell(train_epoch());
      }
      const EpochStatistics& statistics = result_.epochs.back();
      const bool over = is_over();
      show(&statistics, over);
      const bool stopped = is_stopped();
      if (stopped || over || step_.starts_round(epoch_) || checkpoint_is_due()) keep_checkpoint();
      if (stopped && !over) {
        stop();
        return;
      }
      progress.note("loss " + short_number(statistics.loss));
      progress.advance(epoch_ - before);
    }
  }

  /// After Ctrl-C, when what is done is kept.
  void stop() {
    if (!files_.directory.empty() || !files_.return_stopped) {
      // All ranks have come here.
      if (world_ != nullptr) world_->finish();
      throw Interrupted();
    }
    result_.stopped = true;
  }

  static std::string short_number(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.size() - 2);
  }

  static std::vector<at::Tensor> tensors_of(const std::vector<NamedTensor>& named) {
    std::vector<at::Tensor> tensors;
    for (const NamedTensor& one : named) tensors.push_back(one.value.detach());
    return tensors;
  }

  /// Of ranks that train together the first keeps what there is to keep.
  bool keeps_files() const {
    if (world_ != nullptr && world_->rank() > 0) return false;
    return !files_.directory.empty() && (!part_ || part_->ranks().rank() == 0);
  }

  /// Ctrl-C on one rank stops all of them, after the same epoch.
  bool is_stopped() const {
    if (updates_) return stopped_;
    if (!part_) return context_.stopped();
    return part_->ranks().gather(at::full({1}, context_.stopped(), at::kByte)).any().item<bool>();
  }

  bool patience_is_over() const { return config_.patience > 0 && waited_ > config_.patience; }

  const std::vector<NamedTensor>& parameters() const { return step_.model().parameters.all(); }

  bool is_over() const { return epoch_ == config_.epochs || patience_is_over(); }

  /// By the parameters as they are now; made once however many ask.
  const ModelOutput& output() {
    if (!current_) {
      current_ =
          output_of(result_.stopped || part_ ? without_stop(context_) : context_, graph_,
                    steps_.whole(), *step_.model().encoder, step_.model().method.get(), config_,
                    keeps_files() ? files_.directory : std::filesystem::path(), world_);
    }
    return *current_;
  }

  void show(const EpochStatistics* statistics, bool over) {
    const bool wanted = observer_ != nullptr && observer_->wants_snapshot(epoch_, over);
    if (value_of_first(wanted ? 1 : 0) == 0) return;
    if (observer_ == nullptr) {
      // Rank 0 has the observer, and all ranks make the embedding.
      output();
      return;
    }
    observer_->look({.epochs_done = epoch_,
                     .over = over,
                     .statistics = statistics,
                     .embedding = output().embedding});
  }

  bool checkpoint_is_due() const {
    return seconds_since(last_checkpoint_) >= files_.checkpoint_seconds;
  }

  /// A step of epoch number `epoch`, as all of them are made.
  StepStatistics run_step(int epoch, std::int64_t step) {
    const std::int64_t steps = step_.optimiser().steps();
    const double lr = step_.optimiser().lr();
    try {
      return step_.run(steps_.next(), epoch, steps_.draw(epoch, step));
    } catch (const std::exception& error) {
      if (!is_out_of_memory(error)) throw;
      // Before it changed anything, the run is where the step before left it.
      unbegun_ = step_.is_whole() && !step_.model().method->steps_change_state();
      step_.optimiser().set_steps(steps);
      step_.optimiser().set_lr(lr);
      throw;
    }
  }

  /// Whose batches all ranks share; without them a batch makes a step.
  std::int64_t per_update() const { return updates_ ? config_.batch.per_update : 1; }

  BatchShare share_of(const TrainConfig& config) const {
    if (world_ == nullptr) return {.per_update = config.batch.per_update};
    return {.rank = world_->rank(), .size = world_->size(), .per_update = config.batch.per_update};
  }

  /// The batches of one update, on all ranks.
  void train_update() {
    const Clock::time_point start = Clock::now();
    current_.reset();
    const std::int64_t count = std::min(per_update(), steps_.per_epoch() - sums_.steps());
    BatchUpdates::Done done = updates_->run(epoch_, sums_.steps(), count, context_.stopped());
    stopped_ = done.stopped;
    if (done.not_finite >= 0) {
      fail_not_finite(on_host(done.batches[done.not_finite]), done.not_finite);
    }
    const double seconds = seconds_since(start) / static_cast<double>(count);
    for (StepStatistics& batch : done.batches) {
      batch.seconds = seconds;
      sums_.add(batch);
    }
  }

  void train_step() {
    if (updates_) {
      train_update();
      return;
    }
    const Clock::time_point start = Clock::now();
    current_.reset();
    StepStatistics statistics = run_step(epoch_, sums_.steps());
    const EpochStatistics seen = on_host(statistics);
    if (!std::isfinite(seen.loss)) fail_not_finite(seen);
    statistics.seconds = seconds_since(start);
    sums_.add(statistics);
  }

  /// A batch that is not its epoch's last.
  void train_batch(ProgressTask& progress) {
    const std::int64_t before = sums_.steps();
    train_step();
    const bool stopped = is_stopped();
    if (stopped || checkpoint_is_due()) keep_checkpoint();
    if (stopped) {
      stop();
      return;
    }
    progress.note("loss " + short_number(sums_.mean().loss));
    progress.advance(sums_.steps() - before);
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

  /// Somebody hears of an epoch that is done.
  void tell(const EpochStatistics& statistics) {
    metrics_->add(statistics);
    result_.epochs.push_back(statistics);
    if (observer_ != nullptr) observer_->epoch_done(statistics);
  }

  /// How many epochs may end before the host looks at them; 0: as many as fit the time.
  int epochs_between_looks() const {
    return observer_ == nullptr ? 0 : observer_->epochs_between_looks();
  }

  /// Whether the device itself can judge the epochs: by their losses, and with nothing that goes on
  /// changing after a loss that is not finite.
  bool runs_ahead() const {
    if (part_) return false;
    const bool worth_it =
        context_.device().type == DeviceType::cpu ? epochs_between_looks() > 1 : true;
    return worth_it && config_.batch.size == 0 &&
           (config_.select == Select::loss || config_.select == Select::last) &&
           !step_.model().method->steps_change_state();
  }

  /// The epochs until the next look. Patience runs out with the last of them at the earliest, so
  /// that none is trained in vain.
  int epochs_ahead() const {
    int epochs = epochs_between_looks();
    if (epochs == 0) {
      const double left = files_.checkpoint_seconds - seconds_since(last_checkpoint_);
      const double seconds = std::clamp(left, 0.0, seconds_ahead);
      epochs = epoch_seconds_ > 0
                   ? static_cast<int>(std::min<double>(seconds / epoch_seconds_, most_epochs_ahead))
                   : 1;
    }
    epochs = std::clamp(epochs, 1, std::min(most_epochs_ahead, config_.epochs - epoch_));
    if (config_.patience > 0) epochs = std::min(epochs, config_.patience + 1 - waited_);
    for (int done = 1; done < epochs; ++done) {
      if (step_.starts_round(epoch_ + done)) return done;
      if (observer_ != nullptr && observer_->wants_snapshot(epoch_ + done, false)) return done;
    }
    return epochs;
  }

  /// A step that the device was given.
  struct StartedStep {
    StepStatistics statistics;
    std::int64_t adam_steps = 0;  // with it
  };

  /// Some epochs one after the other, and then a look at all of them.
  void train_ahead() {
    const Clock::time_point start = Clock::now();
    current_.reset();
    std::vector<StartedStep> started;
    const int epochs = epochs_ahead();
    try {
      for (int i = 0; i < epochs; ++i) {
        StepStatistics statistics = run_step(epoch_ + i, 0);
        kept_->judge(statistics.values);
        statistics.values.reset();
        started.push_back({std::move(statistics), step_.optimiser().steps()});
      }
    } catch (...) {
      // Epochs that are done count; and a loss that was not finite is the better reason.
      if (!started.empty()) catch_up(started, start);
      throw;
    }
    catch_up(started, start);
  }

  void catch_up(std::vector<StartedStep>& started, Clock::time_point start) {
    const at::Tensor values = kept_->look();
    epoch_seconds_ = seconds_since(start) / static_cast<double>(started.size());
    for (std::size_t i = 0; i < started.size(); ++i) {
      StartedStep& step = started[i];
      step.statistics.values = values[static_cast<std::int64_t>(i)];
      step.statistics.seconds = epoch_seconds_;
      EpochStatistics statistics = on_host(step.statistics);
      if (!std::isfinite(statistics.loss)) {
        // What the host counted after it did not happen on the device.
        step_.optimiser().set_steps(step.adam_steps);
        step_.optimiser().set_lr(step.statistics.lr);
        fail_not_finite(statistics);
      }
      ++epoch_;
      judge(statistics);
      tell(statistics);
    }
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
    // The device has taken the same turn already where it judges.
    if (!kept_) put_values(best_, parameters());
  }

  double score_now() {
    std::optional<double> score;
    const ModelOutput& judged = output();
    if (observer_ != nullptr) score = observer_->score(config_.select, judged);
    if (world_ != nullptr && !world_->alone()) {
      const double found = value_of_first(score.value_or(std::nan("")));
      if (!std::isnan(found)) score = found;
    }
    if (score) return *score;
    if (world_ != nullptr) world_->finish();
    const bool labels = config_.select != Select::calibration;
    fail_input({.what = "nothing to select by",
                .file = "select",
                .found = name_of(config_.select),
                .expected = labels ? "labels and a split with a validation part"
                                   : "an observer that measures calibration",
                .hint = "--select loss and --select calibration need no labels"});
  }

  /// `further`: of the batches of an update, how many came before it.
  [[noreturn]] void fail_not_finite(const EpochStatistics& statistics, std::int64_t further = 0) {
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
        steps_.per_epoch() > 1 ? ", batch " + std::to_string(sums_.steps() + further) : "";
    keep_checkpoint();
    if (world_ != nullptr) world_->finish();
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

  /// Where no step had begun to change anything, what is done so far is kept; else the checkpoint
  /// before stays.
  [[noreturn]] void fail_out_of_memory(const std::exception& error) {
    const std::filesystem::path file = files_.directory / "checkpoint.pt";
    if (unbegun_) keep_checkpoint();
    std::string what = "out of memory at epoch " + std::to_string(epoch_);
    if (steps_.per_epoch() > 1) what += ", batch " + std::to_string(sums_.steps());
    if (!files_.directory.empty() && std::filesystem::exists(file)) {
      what += std::string("; ") + (unbegun_ ? "all that was done" : "the last checkpoint") +
              " is kept in " + file.string();
    }
    creg::fail_out_of_memory(context_, error, what);
  }

  void keep_checkpoint() {
    metrics_->flush();
    if (observer_ != nullptr) observer_->keeping();
    last_checkpoint_ = Clock::now();
    seconds_ = earlier_ + seconds_since(start_);
    if (keeps_files()) write_checkpoint(files_.directory / "checkpoint.pt", make_checkpoint());
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

  /// What rank 0 says.
  double value_of_first(double value) const {
    return world_ == nullptr ? value : creg::value_of_first(*world_, value);
  }

  /// An input error on all ranks where one has another build, graph or configuration than rank 0.
  void check_same_on_all() const {
    TextPairs own = build_and_machine(context_);
    own.emplace_back("resumed", files_.resume ? "yes" : "no");
    const TextPairs config = config_pairs(context_, config_);
    own.insert(own.end(), identity_.begin(), identity_.end());
    own.insert(own.end(), config.begin(), config.end());
    check_same(*world_, own);
  }

  /// The checkpoint of rank 0's folder is the one that all have read.
  void check_same_progress() const {
    check_same(*world_, {{"epochs done", std::to_string(epoch_)},
                         {"batches done", std::to_string(sums_.steps())}});
  }

  /// Everything is checked before anything is used.
  void resume() {
    const std::string file = (files_.directory / "checkpoint.pt").string();
    Checkpoint kept = part_ ? read_on_all(*part_, file) : read_checkpoint(file);
    check_resumable(kept, identity_, config_pairs(context_, config_), file);
    check_progress(kept, {.epochs = config_.epochs,
                          .steps_per_epoch = steps_.per_epoch(),
                          .steps_per_update = per_update(),
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
  Communicator* world_ = nullptr;       // of ranks that share batches; else null
  std::shared_ptr<PartExchange> part_;  // of a graph in parts; else null
  TextPairs identity_;
  TrainingStep step_;
  EpochSteps steps_;
  std::unique_ptr<BatchUpdates> updates_;  // where a step is made of several batches
  bool stopped_ = false;                   // one of the ranks, in the last update
  TrainResult result_;
  std::optional<MetricsFile> metrics_;

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
  std::optional<KeptBest> kept_;       // where the host does not look at every epoch
  double epoch_seconds_ = 0;           // of the last ones, there
  bool unbegun_ = false;               // a step found no memory and had changed nothing
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
  try {
    if (method_of(config).encoders.empty()) return compute(context, prepared, config);
    const bool made = makes_features(feature_cols(graph.features), config);
    const TrainConfig scaled =
        files.resume && config.auto_feature_scale
            ? with_feature_scale(read_checkpoint(files.directory / "checkpoint.pt"), config)
            : with_feature_scale(context, prepared, config);
    return Trainer(context, prepared, graph_identity(context, prepared, made), scaled, files,
                   observer, labelled)
        .run();
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    fail_out_of_memory(context, error, "out of memory before or after the epochs");
  }
}

TrainResult train_on_part(const Context& context, const PartOfRun& part, const TrainConfig& config,
                          const RunFiles& files, TrainObserver* observer,
                          std::span<const std::int32_t> labelled) {
  check_config(config);
  check_in_parts(context.device(), config, part.part.graph.directed);
  refuse_made_features(feature_cols(part.part.graph.features), config, part.part.graph.name,
                       std::string(not_in_parts));
  prepare_torch(context);
  PartOfRun prepared = part;
  prepared.part.graph = with_prepared_features(context, part.part.graph, config);
  const TrainConfig scaled =
      files.resume && config.auto_feature_scale
          ? with_feature_scale(
                read_on_all(*part.exchange, (files.directory / "checkpoint.pt").string()), config)
          : with_feature_scale(context, prepared, config);
  return Trainer(context, prepared, scaled, files, observer, labelled).run();
}

void write_training(const std::filesystem::path& directory, const TrainResult& result) {
  if (result.checkpoint) write_checkpoint(directory / "checkpoint.pt", *result.checkpoint);
  MetricsFile metrics(directory / "metrics.jsonl", 0);
  for (const EpochStatistics& epoch : result.epochs) metrics.add(epoch);
  metrics.flush();
}

}  // namespace creg
