// What programs ask of runs that the command does not: Python is one of them.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>

#include "creg/creg.h"
#include "creg/methods/method.h"
#include "creg/nn/encoder.h"
#include "run/open_data.h"
#include "run/run_folder.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::program_runs_test {
namespace {

using test::expect_error;
using test::TempDir;

const Settings small = {{"dim", "8"}, {"epochs", "20"}, {"patience", "0"}};

std::vector<float> values(const DenseMatrix& matrix) {
  return {matrix.values.begin(), matrix.values.end()};
}

Data small_data() {
  return load(Context(), "synthetic:cora@0.05");
}

TEST(ProgramRuns, SomebodyHearsOfEveryEpochOfEverySeed) {
  const Context context = test::context({.threads = 2});
  const RunPlan runs =
      plan(context, small_data(), RunSpec{.settings = small, .seeds = 2, .evaluate = false});
  std::mutex mutex;
  std::map<std::uint64_t, std::vector<double>> heard;
  RunListener listener;
  listener.epoch_done = [&](std::uint64_t seed, const EpochStatistics& statistics) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(statistics.epoch, static_cast<int>(heard[seed].size()));
    heard[seed].push_back(statistics.loss);
  };
  const RunResult result = execute(context, runs, listener);
  ASSERT_EQ(heard.size(), 2U);
  for (const SeedResult& seed : result.seeds) {
    std::vector<double> losses;
    for (const EpochStatistics& epoch : seed.training.epochs) losses.push_back(epoch.loss);
    EXPECT_EQ(heard.at(seed.seed), losses);
  }
}

/// Stops in the middle; what comes back is what a run of so many epochs has.
void expect_stopped(const Settings& settings, int at_least) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  Context::Options options = test::context({.threads = 1}).options();
  options.stop = stop;
  const Context context(options);
  const Data data = small_data();
  RunListener listener{.return_stopped = true};
  listener.epoch_done = [&](std::uint64_t /*seed*/, const EpochStatistics& statistics) {
    if (statistics.epoch + 1 >= at_least) *stop = true;
  };
  const RunPlan run = plan(context, data, settings);
  const TrainResult stopped = execute(context, run, listener).seeds.front().training;
  EXPECT_TRUE(stopped.stopped);
  EXPECT_GE(stopped.epochs_run, at_least);
  EXPECT_LT(stopped.epochs_run, 2000);
  *stop = false;
  Settings shorter = settings;
  shorter["epochs"] = std::to_string(stopped.epochs_run);
  const TrainResult same =
      train(test::context({.threads = 1}), data, shorter).seeds.front().training;
  EXPECT_FALSE(same.stopped);
  EXPECT_EQ(values(stopped.embedding), values(same.embedding));
  *stop = true;
  listener.return_stopped = false;
  EXPECT_THROW(execute(context, run, listener), Interrupted);
}

TEST(ProgramRuns, AStoppedRunWithoutAFolderReturnsWhatItHas) {
  expect_stopped({{"dim", "8"}, {"epochs", "2000"}, {"patience", "0"}}, 5);
}

TEST(ProgramRuns, AStoppedRunWithAFolderIsKeptThere) {
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  Context::Options options;
  options.threads = 1;
  options.stop = stop;
  const TempDir dir;
  const Context context(options);
  const Data data = small_data();
  const RunPlan run =
      plan(Context({.threads = 1}), data, RunSpec{.settings = small, .out = dir.path() / "run"});
  EXPECT_THROW(execute(context, run, {.return_stopped = true}), Interrupted);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "run" / "checkpoint.pt"));
}

class Centred final : public Method {
 public:
  Centred(const MethodOptions& options, ParameterList& parameters)
      : pull_(options.own.real("pull")), centre_(parameters.constant("centre", {options.dim}, 0)) {}

  EpochLoss loss(EpochPass& pass) override {
    return {.loss = (pass.embedding() - centre_).pow(2).mean() * pull_,
            .anchors = pass.inputs().nodes};
  }

 private:
  double pull_;
  at::Tensor centre_;
};

RunSpec centred() {
  Settings settings = small;
  settings.insert({{"method", "centred"}, {"pull", "2"}});
  return {.settings = settings,
          .added = std::make_shared<const MethodEntry>(
              MethodEntry{.name = "centred",
                          .about = "nodes towards a centre",
                          .parameters = {own_real("pull", 1, 0, 10, "how strongly")},
                          .make = made_by<Centred>})};
}

/// Who does not have the method can use what it trained, but not go on.
TEST(ProgramRuns, AFolderOfAnOwnMethodIsReadWithoutIt) {
  const Context context({.threads = 1});
  const Data data = small_data();
  const TempDir dir;
  RunSpec spec = centred();
  spec.out = dir.path() / "run";
  const RunResult run = train(context, data, spec);
  const TrainConfig config = config_of(read_record(spec.out));
  EXPECT_EQ(config.method, "centred");
  EXPECT_EQ(config.encoder.dim, 8);
  EXPECT_EQ(values(embed(context, data.graph, spec.out / "checkpoint.pt")),
            values(run.embedding()));
  expect_error([&] { plan_resume(context, spec.out, "", true); },
               {"a program's own method", "centred"});
  // Who has it goes on; with other settings it is another run.
  RunPlan again = plan(context, data, spec);
  again.resume = true;
  check_same_run(again);
  EXPECT_EQ(values(execute(context, again).embedding()), values(run.embedding()));
  spec.settings["pull"] = "3";
  expect_error([&] { check_same_run(plan(context, data, spec)); }, {"another pull", "2", "3"});
}

/// The engine's own GCN in the clothes of a program's encoder.
std::shared_ptr<const AddedEncoder> dressed_gcn() {
  const auto make = [](const EncoderOptions& options, std::int64_t features,
                       ParameterList& parameters) {
    EncoderOptions plain = options;
    plain.added = nullptr;
    return make_encoder(plain, features, parameters);
  };
  return std::make_shared<const AddedEncoder>(AddedEncoder{.name = "dressed", .make = make});
}

TEST(ProgramRuns, AnEncoderOfAProgramIsTrainedAsOurs) {
  const Context context = test::context({.threads = 1});
  const Data data = small_data();
  Settings scaled = small;
  scaled["feature_scale"] = "0.5";
  const RunResult ours = train(context, data, scaled);
  const RunResult theirs =
      train(context, data, RunSpec{.settings = scaled, .added_encoder = dressed_gcn()});
  EXPECT_EQ(values(theirs.embedding()), values(ours.embedding()));
  Settings deep = small;
  deep["layers"] = "2";
  expect_error(
      [&] { plan(context, data, RunSpec{.settings = deep, .added_encoder = dressed_gcn()}); },
      {"layers", "has this in itself", "dressed"});
}

/// Who does not have the encoder can use what it made, but not go on.
TEST(ProgramRuns, AFolderOfAnOwnEncoderIsReadWithoutIt) {
  const Context context({.threads = 1});
  const Data data = small_data();
  const TempDir dir;
  const RunSpec spec{.settings = small, .added_encoder = dressed_gcn(), .out = dir.path() / "run"};
  const RunResult run = train(context, data, spec);
  const std::filesystem::path checkpoint = spec.out / "checkpoint.pt";
  EXPECT_EQ(values(embed(context, data.graph, checkpoint, dressed_gcn())), values(run.embedding()));
  expect_error([&] { embed(context, data.graph, checkpoint); },
               {"encoder was a program's own", "dressed"});
  const RunPlan without = plan_resume(context, spec.out, "", true);
  EXPECT_EQ(encoder_name(without.config.encoder), "dressed");
  expect_error([&] { execute(context, without); }, {"encoder was a program's own", "dressed"});
  RunPlan again = plan(context, data, spec);
  again.resume = true;
  check_same_run(again);
  EXPECT_EQ(values(execute(context, again).embedding()), values(run.embedding()));
  expect_error(
      [&] { check_same_run(plan(context, data, RunSpec{.settings = small, .out = spec.out})); },
      {"another encoder", "dressed", "gcn"});
}

TEST(ProgramRuns, TheEncoderOfARunInMemoryEmbedsOtherGraphs) {
  const Context context = test::context({.threads = 1});
  const Data data = small_data();
  const RunResult run = train(context, data, small);
  const TrainResult& training = run.seeds.front().training;
  ASSERT_NE(training.checkpoint, nullptr);
  EXPECT_EQ(values(embed(context, data.graph, *training.checkpoint, "it")),
            values(run.embedding()));
  expect_error([&] { embed(context, test::two_groups(), *training.checkpoint, "it"); },
               {"do not fit the encoder", "as in it"});
}

TEST(ProgramRuns, AGraphInMemoryIsNoDatasetOfOthers) {
  const Context context({.threads = 1});
  const TempDir dir;
  const Data data = load(context, test::two_groups());
  train(context, data, RunSpec{.settings = small, .out = dir.path() / "run"});
  const RunRecord record = read_record(dir.path() / "run");
  EXPECT_TRUE(record.dataset.starts_with("memory:")) << record.dataset;
  const DataSpec asked{.dataset = record.dataset};
  expect_error([&] { open_data(context, asked); }, {"in the memory of a program", "--dataset"});
  expect_error([&] { measure_data(context, asked); }, {"in the memory of a program"});
}

/// A guest's settings of libtorch change nothing here.
TEST(ProgramRuns, TheDefaultTypeOfOthersCountsForNothing) {
  const Data data = small_data();
  for (const char* method : {"ml", "lc", "dgi", "ggd", "gmi", "mvgrl", "gdcl", "bgrl", "cca-ssg",
                             "gcn-neg", "gcn-supervised", "graphmae", "grace", "gca", "node2vec"}) {
    SCOPED_TRACE(method);
    const Context context = test::context({.threads = 1});
    Settings settings = small;
    settings["epochs"] = "3";
    settings["method"] = method;
    if (std::string_view(method) == "gdcl") settings["warmup"] = "1";
    if (std::string_view(method) == "node2vec") settings["reg"] = "none";
    const RunResult plain = train(context, data, settings);
    const caffe2::TypeMeta before = c10::get_default_dtype();
    c10::set_default_dtype(caffe2::TypeMeta::fromScalarType(at::kDouble));
    const RunResult beside = train(context, data, settings);
    c10::set_default_dtype(before);
    EXPECT_EQ(values(beside.embedding()), values(plain.embedding()));
  }
}

}  // namespace
}  // namespace creg::program_runs_test
