// Runs in which the host looks at several epochs at once, against the same that are looked at after
// every epoch: nothing may differ but times. And runs that find no memory on the way.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <regex>
#include <stdexcept>

#include "creg/methods/method.h"
#include "creg/train/trainer.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"
#include "train/loop/device_memory.h"
#include "train/parameters.h"

namespace creg::epochs_ahead_test {
namespace {

using test::TempDir;

TrainConfig small_config(const std::string& method = "ml") {
  TrainConfig config;
  config.method = method;
  config.encoder.dim = 8;
  config.lr = 1e-2;
  config.epochs = 30;
  config.patience = 0;
  return config;
}

/// Hears of epochs in bundles, and may stop the run or ask for embeddings.
class Listener final : public TrainObserver {
 public:
  explicit Listener(int between) : between_(between) {}

  int epochs_between_looks() const override { return between_; }
  void epoch_done(const EpochStatistics& statistics) override {
    EXPECT_EQ(statistics.epoch, static_cast<int>(told.size()) + first);
    told.push_back(statistics);
    if (stop != nullptr && statistics.epoch + 1 == stop_at) stop->store(true);
  }
  bool wants_snapshot(int epochs_done, bool over) override {
    return snapshots && (epochs_done % 7 == 0 || over);
  }
  void look(const Snapshot& snapshot) override {
    seen.push_back(snapshot.epochs_done);
    embeddings.push_back(snapshot.embedding);
    over.push_back(snapshot.over);
  }
  std::optional<double> score(Select /*by*/, const ModelOutput& output) override {
    return output.embedding.values.span()[0];
  }

  int first = 0;
  std::vector<EpochStatistics> told;
  std::shared_ptr<std::atomic<bool>> stop;
  int stop_at = 0;
  bool snapshots = false;
  std::vector<int> seen;
  std::vector<DenseMatrix> embeddings;
  std::vector<bool> over;

 private:
  int between_;
};

bool same_values(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && test::same(a.values, b.values);
}

void expect_same(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(test::same_bytes(a[i].value, b[i].value)) << a[i].name;
  }
}

void expect_same_checkpoint(const std::filesystem::path& one, const std::filesystem::path& other) {
  const Checkpoint a = read_checkpoint(one / "checkpoint.pt");
  const Checkpoint b = read_checkpoint(other / "checkpoint.pt");
  expect_same(a.model, b.model);
  expect_same(a.moments1, b.moments1);
  expect_same(a.moments2, b.moments2);
  expect_same(a.best_model, b.best_model);
  expect_same(a.method_state, b.method_state);
  EXPECT_EQ(a.optimizer_steps, b.optimizer_steps);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.epochs_without_gain, b.epochs_without_gain);
  EXPECT_EQ(a.lowest_loss, b.lowest_loss);
  EXPECT_EQ(a.best_score, b.best_score);
  EXPECT_EQ(a.ratio, b.ratio);
  EXPECT_EQ(a.lr, b.lr);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.graph, b.graph);
}

std::string metrics_without_times(const std::filesystem::path& folder) {
  const std::string text = test::read_text(folder / "metrics.jsonl");
  EXPECT_TRUE(text.empty() || text.find("\"seconds\":") != std::string::npos);
  return std::regex_replace(text, std::regex("\"seconds\":[^,}]*"), "");
}

struct Ran {
  TempDir folder;
  TrainResult result;
  std::string failure;
  std::size_t told = 0;  // epochs that the listener heard of
};

void run(Ran& ran, const TrainConfig& config, Listener& listener,
         const std::shared_ptr<const std::atomic<bool>>& stop = {}, bool resume = false) {
  const Context context = test::context({.threads = 2, .seed = 3, .stop = stop});
  try {
    ran.result = train(context, test::two_groups(), config,
                       {.directory = ran.folder.path(), .resume = resume}, &listener);
  } catch (const std::exception& error) {
    ran.failure = error.what();
  }
  ran.told = listener.told.size();
}

/// The run with a look after every epoch.
std::unique_ptr<Ran> looked_at(const TrainConfig& config) {
  auto ran = std::make_unique<Ran>();
  Listener listener(1);
  run(*ran, config, listener);
  return ran;
}

void expect_the_same(const Ran& a, const Ran& b) {
  EXPECT_EQ(std::regex_replace(a.failure, std::regex(a.folder.path().string()), ""),
            std::regex_replace(b.failure, std::regex(b.folder.path().string()), ""));
  EXPECT_EQ(a.result.epochs_run, b.result.epochs_run);
  EXPECT_EQ(a.result.best_epoch, b.result.best_epoch);
  EXPECT_TRUE(same_values(a.result.embedding, b.result.embedding));
  EXPECT_EQ(metrics_without_times(a.folder.path()), metrics_without_times(b.folder.path()));
  expect_same_checkpoint(a.folder.path(), b.folder.path());
}

void expect_the_same_for(const TrainConfig& config, std::initializer_list<int> between) {
  const auto every = looked_at(config);
  for (const int epochs : between) {
    SCOPED_TRACE(config.method + ", " + std::to_string(epochs) + " epochs between looks");
    Ran ran;
    Listener listener(epochs);
    run(ran, config, listener);
    expect_the_same(ran, *every);
    EXPECT_EQ(ran.told, every->told);
  }
}

TEST(EpochsAhead, TheRunIsTheSame) {
  for (const char* method : {"ml", "lc", "dgi", "grace", "bgrl"}) {
    for (const char* select : {"loss", "last"}) {
      TrainConfig config = small_config(method);
      config.epochs = 12;
      if (config.method == "lc") config.own["curriculum"] = "4";
      if (config.method == "ml") config.schedule = Schedule::cosine;
      find_parameter("select").set(config, select);
      expect_the_same_for(config, {4, 1000});
    }
  }
  TrainConfig follows = small_config();
  find_parameter("ratio").set(follows, "auto");
  expect_the_same_for(follows, {0, 7});
}

TEST(EpochsAhead, PatienceRunsOutAtTheSameEpoch) {
  for (const int patience : {1, 5, 9}) {
    TrainConfig config = small_config();
    config.epochs = 400;
    config.patience = patience;
    config.lr = 5e-2;
    ASSERT_LT(looked_at(config)->result.epochs_run, 400);
    expect_the_same_for(config, {2, 4, 50});
    config.select = Select::last;
    expect_the_same_for(config, {50});
  }
}

TEST(EpochsAhead, WhatIsSelectedByAnythingElseIsLookedAtAsBefore) {
  TrainConfig config = small_config();
  config.select = Select::val;
  config.epochs = 12;
  expect_the_same_for(config, {1000});
}

/// Pulls the embedding towards a trained centre, but for one epoch whose loss is not finite: later
/// ones would train on as if nothing were.
class OneBadEpoch : public Method {
 public:
  OneBadEpoch(const MethodOptions& options, ParameterList& parameters)
      : bad_(options.own.integer("bad")), centre_(parameters.constant("centre", {8}, 0.5)) {}

  EpochLoss loss(EpochPass& pass) override {
    const at::Tensor& h = pass.embedding();
    const at::Tensor loss = (h - centre_).pow(2).mean();
    const double factor =
        pass.settings().epoch == bad_ ? std::numeric_limits<double>::quiet_NaN() : 1;
    return {.loss = loss * factor, .positive_sigma = loss.detach(), .anchors = pass.inputs().nodes};
  }

 private:
  std::int64_t bad_;
  at::Tensor centre_;
};

/// The same with a state of its own that every step changes.
class CountsSteps final : public OneBadEpoch {
 public:
  CountsSteps(const MethodOptions& options, ParameterList& parameters)
      : OneBadEpoch(options, parameters),
        steps_(at::zeros({1}, parameters.all()[0].value.options().requires_grad(false))) {}

  EpochLoss loss(EpochPass& pass) override {
    steps_ += 1;
    return OneBadEpoch::loss(pass);
  }
  std::vector<NamedTensor> state() const override { return {{"steps", steps_}}; }
  void restore(const std::vector<NamedTensor>& state) override { steps_ = state[0].value.clone(); }

 private:
  at::Tensor steps_;
};

template <class M>
TrainConfig config_of_own(const std::string& name, int bad) {
  TrainConfig config = small_config(name);
  config.added = std::make_shared<const MethodEntry>(
      MethodEntry{.name = name,
                  .about = "for this test",
                  .parameters = {own_integer("bad", 1000, 0, 1000, "epoch without a finite loss")},
                  .make = made_by<M>});
  config.own["bad"] = std::to_string(bad);
  find_parameter("ratio").set(config, "auto");
  // The rate is another one after every step.
  config.schedule = Schedule::cosine;
  return config;
}

TEST(EpochsAhead, NothingThatIsKeptChangesAfterALossThatIsNotFinite) {
  for (const int bad : {0, 1, 9, 29}) {
    for (const Select select : {Select::loss, Select::last}) {
      TrainConfig config = config_of_own<OneBadEpoch>("one-bad-epoch", bad);
      config.select = select;
      const auto every = looked_at(config);
      ASSERT_NE(every->failure.find("not finite at epoch " + std::to_string(bad)),
                std::string::npos)
          << every->failure;
      expect_the_same_for(config, {3, 8, 1000});
    }
  }
  // Where the loss rises from an early epoch on, the best is an older one.
  TrainConfig rising = config_of_own<OneBadEpoch>("one-bad-epoch", 12);
  rising.lr = 0.5;
  expect_the_same_for(rising, {1000});
  expect_the_same_for(config_of_own<CountsSteps>("counts-steps", 9), {8});
}

/// The epochs that were begun are finished, and the rest follows from there.
TEST(EpochsAhead, ARunThatIsStoppedGoesOn) {
  const TrainConfig config = small_config();
  const auto every = looked_at(config);
  Ran ran;
  Listener stopping(8);
  stopping.stop = std::make_shared<std::atomic<bool>>(false);
  stopping.stop_at = 11;
  run(ran, config, stopping, stopping.stop);
  EXPECT_EQ(ran.failure, "interrupted");
  EXPECT_EQ(stopping.told.size(), 16U);
  EXPECT_EQ(read_checkpoint(ran.folder / "checkpoint.pt").epoch, 16);
  ran.failure.clear();
  Listener rest(8);
  rest.first = 16;
  run(ran, config, rest, {}, true);
  expect_the_same(ran, *every);
}

TEST(EpochsAhead, SnapshotsAreOfTheirEpochs) {
  TrainConfig config = small_config();
  config.epochs = 400;
  config.patience = 5;
  config.lr = 5e-2;
  Ran every;
  Ran ahead;
  Listener plain(1);
  Listener listener(100);
  plain.snapshots = listener.snapshots = true;
  run(every, config, plain);
  run(ahead, config, listener);
  expect_the_same(ahead, every);
  EXPECT_EQ(listener.seen, plain.seen);
  EXPECT_EQ(listener.over, plain.over);
  ASSERT_GE(plain.seen.size(), 3U);
  EXPECT_TRUE(plain.over.back());
  for (std::size_t i = 0; i < plain.seen.size(); ++i) {
    EXPECT_TRUE(same_values(listener.embeddings[i], plain.embeddings[i])) << plain.seen[i];
  }
}

/// What was done before counts; what the failing step had begun does not.
class FailsAt final : public Method {
 public:
  FailsAt(const MethodOptions& /*options*/, ParameterList& parameters)
      : centre_(parameters.constant("centre", {8}, 0.5)) {}

  EpochLoss loss(EpochPass& pass) override {
    if (pass.settings().epoch == 9) throw std::runtime_error("no ninth epoch");
    return {.loss = (pass.embedding() - centre_).pow(2).mean(), .anchors = pass.inputs().nodes};
  }

 private:
  at::Tensor centre_;
};

TEST(EpochsAhead, EpochsBeforeAFailureAreToldOf) {
  TrainConfig config = small_config("fails");
  config.added = std::make_shared<const MethodEntry>(
      MethodEntry{.name = "fails", .about = "for this test", .make = made_by<FailsAt>});
  for (const int between : {1, 4, 1000}) {
    Ran ran;
    Listener listener(between);
    run(ran, config, listener);
    EXPECT_EQ(ran.failure, "no ninth epoch");
    EXPECT_EQ(listener.told.size(), 9U);
  }
}

/// Finds no memory in one step.
class ShortOfMemory : public Method {
 public:
  ShortOfMemory(const MethodOptions& options, ParameterList& parameters)
      : bad_(options.own.integer("bad")), centre_(parameters.constant("centre", {8}, 0.5)) {}

  EpochLoss loss(EpochPass& pass) override {
    const at::Tensor loss = (pass.nodes() - centre_).pow(2).mean();
    TORCH_CHECK_WITH(OutOfMemoryError, pass.settings().step != bad_,
                     "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity "
                     "of 9.00 GiB of which 1.25 GiB is free. Including other memory, advice.");
    return {.loss = loss, .positive_sigma = loss.detach(), .anchors = pass.inputs().nodes};
  }

 private:
  std::int64_t bad_;
  at::Tensor centre_;
};

/// The same with a state that the step has changed before.
class ShortOfMemoryWithState final : public ShortOfMemory {
 public:
  using ShortOfMemory::ShortOfMemory;
  EpochLoss loss(EpochPass& pass) override {
    steps_ = steps_ + 1;
    return ShortOfMemory::loss(pass);
  }
  std::vector<NamedTensor> state() const override { return {{"steps", steps_}}; }
  void restore(const std::vector<NamedTensor>& state) override {
    steps_ = state[0].value.to(at::kCPU);
  }

 private:
  at::Tensor steps_ = at::zeros({1});
};

void expect_short_of_memory(const std::string& message, const std::string& where) {
  for (const std::string& part :
       {"out of memory at " + where, std::string("Tried to allocate 2.50 GiB"),
        std::string("9.00 GiB of which 1.25 GiB is free"), std::string("--dim"),
        std::string("--batch-size"), std::string("--device cpu")}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
  for (const char* part : {"advice", "frame #", "Exception raised"}) {
    EXPECT_EQ(message.find(part), std::string::npos) << message;
  }
}

TEST(OutOfMemory, WhatWasDoneIsKeptAndGoesOn) {
  const auto config = [](int bad) { return config_of_own<ShortOfMemory>("short", bad); };
  const auto every = looked_at(config(1000));
  for (const int between : {1, 4, 1000}) {
    Ran ran;
    Listener failing(between);
    run(ran, config(9), failing);
    expect_short_of_memory(ran.failure, "epoch 9; all that was done is kept in");
    EXPECT_EQ(failing.told.size(), 9U);
    EXPECT_EQ(read_checkpoint(ran.folder / "checkpoint.pt").epoch, 9);
    ran.failure.clear();
    Listener rest(between);
    rest.first = 9;
    run(ran, config(1000), rest, {}, true);
    expect_the_same(ran, *every);
  }
}

/// Of libraries, which ask the card and not libtorch's allocator.
class ShortOfMemoryInALibrary final : public Method {
 public:
  ShortOfMemoryInALibrary(const MethodOptions& options, ParameterList& parameters)
      : bad_(options.own.integer("bad")), centre_(parameters.constant("centre", {8}, 0.5)) {}

  EpochLoss loss(EpochPass& pass) override {
    const at::Tensor loss = (pass.nodes() - centre_).pow(2).mean();
    TORCH_CHECK(pass.settings().step != bad_,
                "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`");
    return {.loss = loss, .positive_sigma = loss.detach(), .anchors = pass.inputs().nodes};
  }

 private:
  std::int64_t bad_;
  at::Tensor centre_;
};

TEST(OutOfMemory, InALibraryToo) {
  Ran ran;
  Listener failing(4);
  run(ran, config_of_own<ShortOfMemoryInALibrary>("short", 9), failing);
  for (const char* part : {"out of memory at epoch 9; all that was done is kept in",
                           "CUBLAS_STATUS_ALLOC_FAILED", "--batch-size"}) {
    EXPECT_NE(ran.failure.find(part), std::string::npos) << part << " in " << ran.failure;
  }
  EXPECT_EQ(ran.failure.find("frame #"), std::string::npos) << ran.failure;
  EXPECT_EQ(ran.failure.find("before or after the epochs"), std::string::npos) << ran.failure;
  EXPECT_EQ(read_checkpoint(ran.folder / "checkpoint.pt").epoch, 9);
}

TEST(OutOfMemory, IsWhatAllSayWhoFindNone) {
  EXPECT_TRUE(
      is_out_of_memory(std::runtime_error("pinned memory of the host: CUDA says: out of memory")));
  EXPECT_TRUE(is_out_of_memory(std::runtime_error("CUDA error: out of memory\nadvice")));
  EXPECT_FALSE(is_out_of_memory(std::runtime_error("CUDA error: an illegal memory access")));
  EXPECT_FALSE(is_out_of_memory(Bug("out of memory")));
  EXPECT_FALSE(
      is_out_of_memory(Error(ErrorKind::environment, {.what = "CUDA error: out of memory"})));
}

TEST(OutOfMemory, InABatchToo) {
  const auto config = [](int bad) {
    TrainConfig batches = config_of_own<ShortOfMemory>("short", bad);
    MethodEntry entry = *batches.added;
    entry.steps = StepsBy::neighbourhoods;
    batches.added = std::make_shared<const MethodEntry>(entry);
    batches.encoder.kind = EncoderKind::sage;
    batches.batch.size = 15;  // 3 of them
    batches.batch.fanouts = {3};
    batches.epochs = 4;
    return batches;
  };
  const auto every = looked_at(config(1000));
  Ran ran;
  Listener failing(0);
  run(ran, config(7), failing);
  expect_short_of_memory(ran.failure, "epoch 2, batch 1; all that was done is kept in");
  const Checkpoint kept = read_checkpoint(ran.folder / "checkpoint.pt");
  EXPECT_EQ(kept.epoch, 2);
  EXPECT_EQ(kept.step, 1);
  ran.failure.clear();
  Listener rest(0);
  rest.first = 2;
  run(ran, config(1000), rest, {}, true);
  expect_the_same(ran, *every);
}

/// Nothing half done is written: the checkpoint before stays, if there is one.
TEST(OutOfMemory, AStepThatHasChangedSomethingIsNotKept) {
  const TrainConfig config = config_of_own<ShortOfMemoryWithState>("short-with-state", 9);
  Ran ran;
  Listener listener(1);
  run(ran, config, listener);
  expect_short_of_memory(ran.failure, "epoch 9");
  EXPECT_EQ(ran.failure.find("is kept"), std::string::npos) << ran.failure;
  EXPECT_FALSE(std::filesystem::exists(ran.folder / "checkpoint.pt"));
  Ran stopped;
  Listener stopping(1);
  stopping.stop = std::make_shared<std::atomic<bool>>(false);
  stopping.stop_at = 4;
  run(stopped, config, stopping, stopping.stop);
  Listener rest(1);
  rest.first = 4;
  run(stopped, config, rest, {}, true);
  expect_short_of_memory(stopped.failure, "epoch 9; the last checkpoint is kept in");
  EXPECT_EQ(read_checkpoint(stopped.folder / "checkpoint.pt").epoch, 4);
}

}  // namespace
}  // namespace creg::epochs_ahead_test
