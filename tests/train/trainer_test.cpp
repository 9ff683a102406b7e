#include "creg/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <sstream>

#include "creg/methods/entry.h"
#include "io/file.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "train/parameters.h"

namespace creg::trainer_test {
namespace {

using test::expect_error;
using test::TempDir;

TrainConfig small_config(const std::string& method = "ml") {
  TrainConfig config;
  config.method = method;
  if (method == "digcl") config.encoder.propagation = Propagation::directed_pagerank;
  config.encoder.dim = 8;
  config.encoder.heads = 2;
  config.lr = 1e-2;
  config.epochs = 12;
  config.patience = 0;
  return config;
}

bool same_bytes(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows == b.rows && a.cols == b.cols && test::same(a.values, b.values);
}

Context context_of(std::uint64_t seed, int threads = 2) {
  return test::context({.threads = threads, .seed = seed});
}

TEST(Train, TheLossFalls) {
  TrainConfig config = small_config();
  config.epochs = 150;
  const TrainResult result = train(context_of(0), test::two_groups(), config);
  ASSERT_EQ(result.epochs.size(), 150);
  EXPECT_LT(result.epochs.back().loss, 0.85 * result.epochs.front().loss);
  EXPECT_EQ(result.embedding.rows, 40);
  EXPECT_EQ(result.embedding.cols, 8);
}

TEST(Train, TheSameSeedGivesTheSameBytes) {
  const Graph graph = test::two_groups();
  for (const char* method : {"ml", "lc", "grace", "gca", "digcl"}) {
    const TrainConfig config = small_config(method);
    const TrainResult once = train(context_of(3), graph, config);
    const TrainResult again = train(context_of(3), graph, config);
    const TrainResult other = train(context_of(4), graph, config);
    EXPECT_TRUE(same_bytes(once.embedding, again.embedding));
    EXPECT_FALSE(same_bytes(once.embedding, other.embedding));
  }
}

TEST(Train, PatienceStopsAndTheLowestLossIsKept) {
  TrainConfig config = small_config();
  config.epochs = 400;
  config.patience = 5;
  config.lr = 5e-2;
  const TrainResult result = train(context_of(0), test::two_groups(), config);
  ASSERT_LT(result.epochs_run, 400);
  int lowest = 0;
  for (const EpochStatistics& epoch : result.epochs) {
    if (epoch.loss <= result.epochs[lowest].loss) lowest = epoch.epoch;
  }
  EXPECT_EQ(result.best_epoch, lowest);
  // More than 5 epochs without a lower loss: it stops at the sixth.
  EXPECT_EQ(result.epochs_run, lowest + 1 + 6);
  // The kept parameters are those after the step of the best epoch.
  TrainConfig shorter = config;
  shorter.epochs = lowest + 1;
  shorter.patience = 0;
  shorter.select = Select::last;
  EXPECT_TRUE(
      same_bytes(train(context_of(0), test::two_groups(), shorter).embedding, result.embedding));
}

/// Steps too small to change a weight: every epoch has the loss of the first. The latest is kept,
/// and patience is not lost over losses that are as low.
TEST(Train, TheLatestOfEqualLossesIsKept) {
  TrainConfig config = small_config("gcn-supervised");
  config.regulariser.contrast = false;
  config.lr = 1e-30;
  config.patience = 3;
  const Graph graph = test::two_groups();
  const TrainResult result =
      train(context_of(0), graph, config, {}, nullptr, graph.splits.front().train.span());
  ASSERT_EQ(result.epochs.size(), 12);
  for (const EpochStatistics& epoch : result.epochs) {
    ASSERT_EQ(epoch.loss, result.epochs.front().loss);
  }
  EXPECT_EQ(result.best_epoch, 11);
}

TEST(Train, TheLossIsItsParts) {
  TrainConfig config = small_config("lc");
  config.regulariser.ratio = 0.3;
  config.epochs = 4;
  for (const EpochStatistics& epoch : train(context_of(0), test::two_groups(), config).epochs) {
    EXPECT_NEAR(epoch.loss, epoch.contrast + 0.3 * epoch.regulariser, 1e-5);
    EXPECT_GT(epoch.regulariser, 0);
  }
}

/// Every round but the first at half the rate, which does not halve again, on more nodes each time.
TEST(Train, RoundsOfTheCurriculum) {
  TrainConfig config = small_config("lc");
  config.own["positives"] = "global";
  config.own["curriculum"] = "4";  // of 3 epochs each
  const TrainResult result = train(context_of(0), test::two_groups(), config);
  ASSERT_EQ(result.epochs.size(), 12);
  for (const EpochStatistics& epoch : result.epochs) {
    EXPECT_EQ(epoch.lr, epoch.epoch < 3 ? 1e-2 : 5e-3) << epoch.epoch;
    EXPECT_EQ(epoch.anchors, 10 * (epoch.epoch / 3 + 1)) << epoch.epoch;
  }
}

TEST(Train, MetricsHoldWhatEveryEpochWas) {
  const TempDir dir;
  TrainConfig config = small_config();
  config.epochs = 2;
  const TrainResult result =
      train(context_of(0), test::two_groups(), config, {.directory = dir.path()});
  const std::string text = test::read_text(dir / "metrics.jsonl");
  std::istringstream lines(text);
  std::string line;
  for (const EpochStatistics& epoch : result.epochs) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto field = [&](const std::string& name) {
      const std::string key = "\"" + name + "\":";
      const std::size_t at = line.find(key);
      EXPECT_NE(at, std::string::npos) << name << " is missing: " << line;
      return at == std::string::npos ? "" : line.substr(at + key.size());
    };
    EXPECT_EQ(std::stoi(field("epoch")), epoch.epoch);
    EXPECT_EQ(std::stod(field("loss")), epoch.loss);
    EXPECT_EQ(std::stod(field("contrast")), epoch.contrast);
    EXPECT_EQ(std::stod(field("regulariser")), epoch.regulariser);
    EXPECT_EQ(std::stod(field("positive_sigma")), epoch.positive_sigma);
    EXPECT_EQ(std::stod(field("negative_sigma")), epoch.negative_sigma);
    EXPECT_EQ(std::stod(field("norm_mean")), epoch.norm_mean);
    EXPECT_EQ(std::stod(field("norm_variance")), epoch.norm_variance);
    EXPECT_EQ(std::stoi(field("anchors")), 40);
    EXPECT_EQ(std::stod(field("lr")), 1e-2);
    EXPECT_TRUE(field("val_accuracy").starts_with("null"));
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
  }
  EXPECT_FALSE(std::getline(lines, line));
}

class Accuracies final : public TrainObserver {
 public:
  std::optional<double> score(Select by, const ModelOutput& /*output*/) override {
    asked_.push_back(by);
    return asked_.size() == 2 ? 0.9 : 0.5;
  }

  const std::vector<Select>& asked() const { return asked_; }

 private:
  std::vector<Select> asked_;
};

TEST(Train, SelectsByValidationAccuracy) {
  TrainConfig config = small_config();
  config.select = Select::val;
  Accuracies accuracies;
  const TrainResult result = train(context_of(0), test::two_groups(), config, {}, &accuracies);
  EXPECT_EQ(result.best_epoch, 9);  // looked at after epochs 4, 9 and 11
  EXPECT_EQ(result.epochs[9].val_accuracy, 0.9);
  EXPECT_FALSE(result.epochs[8].val_accuracy.has_value());
}

class SameScore final : public TrainObserver {
 public:
  std::optional<double> score(Select /*by*/, const ModelOutput& /*output*/) override { return 0.5; }
};

TEST(Train, TheFirstOfEqualScoresIsKept) {
  TrainConfig config = small_config();
  config.select = Select::val;
  SameScore scores;
  EXPECT_EQ(train(context_of(0), test::two_groups(), config, {}, &scores).best_epoch, 4);
}

TEST(Train, SelectsByCalibration) {
  for (const Select by : {Select::calibration, Select::val_ece}) {
    TrainConfig config = small_config();
    config.select = by;
    Accuracies scores;
    const TrainResult result = train(context_of(0), test::two_groups(), config, {}, &scores);
    EXPECT_EQ(result.best_epoch, 9);
    EXPECT_EQ(result.epochs[9].calibration_score, 0.9);
    EXPECT_FALSE(result.epochs[9].val_accuracy.has_value());
    EXPECT_EQ(scores.asked(), std::vector<Select>(3, by));
    config.select = by;
    expect_error([&] { train(context_of(0), test::two_groups(), config); }, {"select"});
  }
}

/// Keeps what it is shown.
class Spectator final : public TrainObserver {
 public:
  bool wants_snapshot(int epochs_done, bool over) override { return epochs_done % 4 == 0 || over; }
  void look(const Snapshot& snapshot) override {
    seen.push_back(snapshot.epochs_done);
    if (snapshot.statistics != nullptr) {
      EXPECT_EQ(snapshot.statistics->epoch, seen.back() - 1);
    }
    last_over = snapshot.over;
    last = snapshot.embedding;
  }

  std::vector<int> seen;
  bool last_over = false;
  DenseMatrix last;
};

TEST(Train, ShowsTheEmbeddingBeforeAfterAndInBetween) {
  TrainConfig config = small_config();
  config.epochs = 10;
  config.patience = 0;
  config.select = Select::last;
  Spectator spectator;
  const TrainResult result = train(context_of(0), test::two_groups(), config, {}, &spectator);
  EXPECT_EQ(spectator.seen, (std::vector<int>{0, 4, 8, 10}));
  EXPECT_TRUE(spectator.last_over);
  EXPECT_TRUE(same_bytes(spectator.last, result.embedding));
  // Looking changes nothing.
  EXPECT_TRUE(
      same_bytes(train(context_of(0), test::two_groups(), config).embedding, result.embedding));
}

TEST(Train, AutomaticRatioFollowsTheConfidenceOfThePositives) {
  TrainConfig config = small_config();
  config.epochs = 40;
  config.patience = 0;
  config.regulariser.auto_ratio = true;
  for (const double target : {0.05, 0.95}) {
    config.regulariser.target_sigma = target;
    const TrainResult result = train(context_of(0), test::two_groups(), config);
    double wanted = 1;
    for (const EpochStatistics& epoch : result.epochs) {
      ASSERT_NEAR(epoch.ratio, wanted, 1e-9);
      ASSERT_NEAR(epoch.loss, epoch.contrast + wanted * epoch.regulariser, 1e-5);
      wanted = std::clamp(wanted * std::exp(0.05 * (epoch.positive_sigma - target)), 0.1, 100.0);
    }
    EXPECT_EQ(wanted > 1, target < 0.5);
  }
  config.regulariser.auto_ratio = false;
  const TrainResult fixed = train(context_of(0), test::two_groups(), config);
  EXPECT_EQ(fixed.epochs.back().ratio, 1);
}

TEST(Train, DgiScoresTheCleanGraphAboveTheCorruptedOne) {
  TrainConfig config = small_config("dgi");
  config.regulariser.contrast = false;
  config.epochs = 60;
  config.patience = 0;
  const TrainResult result = train(context_of(0), test::two_groups(), config);
  EXPECT_NEAR(result.epochs.front().positive_sigma, result.epochs.front().negative_sigma, 0.05);
  EXPECT_GT(result.epochs.back().positive_sigma, result.epochs.back().negative_sigma + 0.15);
}

TEST(Train, ReadsContrastRegsMatrixFromACheckpoint) {
  const TempDir dir;
  TrainConfig config = small_config();
  train(context_of(0), test::two_groups(), config, {.directory = dir.path()});
  const auto kept = kept_regulariser(dir / "checkpoint.pt");
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->weight.rows, config.encoder.dim);
  EXPECT_EQ(kept->weight.cols, config.encoder.dim);
  EXPECT_EQ(kept->config.lr, config.lr);
  config.regulariser.contrast = false;
  train(context_of(0), test::two_groups(), config, {.directory = dir.path()});
  EXPECT_FALSE(kept_regulariser(dir / "checkpoint.pt").has_value());
}

TEST(Train, SelectingByAccuracyNeedsOne) {
  TrainConfig config = small_config();
  config.select = Select::val;
  TrainObserver nobody;
  for (TrainObserver* observer : {&nobody, static_cast<TrainObserver*>(nullptr)}) {
    expect_error([&] { train(context_of(0), test::two_groups(), config, {}, observer); },
                 {"validation part", "--select loss"});
  }
}

/// Stops the run after some epochs, as Ctrl-C does.
class StopAfter final : public TrainObserver {
 public:
  StopAfter(int epochs, std::shared_ptr<std::atomic<bool>> stop)
      : epochs_(epochs), stop_(std::move(stop)) {}
  int epochs_between_looks() const override { return 1; }
  void epoch_done(const EpochStatistics& statistics) override {
    if (statistics.epoch + 1 == epochs_) stop_->store(true);
  }

 private:
  int epochs_;
  std::shared_ptr<std::atomic<bool>> stop_;
};

/// The pass over all pairs is long, but an epoch that has begun is finished.
TEST(Train, CtrlCDuringAnEpochFinishesIt) {
  const TempDir dir;
  TrainConfig config = small_config("lc");
  config.own["positives"] = "global";
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  const Context stopped = test::context({.threads = 2, .seed = 2, .stop = stop});
  EXPECT_THROW(train(stopped, test::two_groups(), config, {.directory = dir.path()}), Interrupted);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "checkpoint.pt"));
  const Bytes metrics = map_file(dir.path() / "metrics.jsonl");
  EXPECT_EQ(std::count(metrics.text().begin(), metrics.text().end(), '\n'), 1);
}

TEST(Train, ARunThatKeepsItsLastEpochKeepsTheLatestOneWhereItIsStopped) {
  const TempDir dir;
  TrainConfig config = small_config();
  config.select = Select::last;
  config.epochs = 1;
  const DenseMatrix after_one = train(context_of(2), test::two_groups(), config).embedding;
  config.epochs = 10;
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  const Context stopped = test::context({.threads = 2, .seed = 2, .stop = stop});
  EXPECT_THROW(train(stopped, test::two_groups(), config, {.directory = dir.path()}), Interrupted);
  EXPECT_TRUE(same_bytes(embed(context_of(2), test::two_groups(), dir.path() / "checkpoint.pt"),
                         after_one));
}

struct ResumeCase {
  std::string method;
  std::string reg;
  int curriculum;
  std::string select;
  std::string ratio = "1";
};

class Resume : public ::testing::TestWithParam<ResumeCase> {};

TEST_P(Resume, EqualsTheUninterruptedRun) {
  const Graph graph = test::two_groups();
  TrainConfig config = small_config(GetParam().method);
  config.own["curriculum"] = std::to_string(GetParam().curriculum);
  find_parameter("reg").set(config, GetParam().reg);
  find_parameter("select").set(config, GetParam().select);
  find_parameter("ratio").set(config, GetParam().ratio);
  const TrainResult whole = train(context_of(2), graph, config);
  for (const int stop_at : {1, 3, 4, 7, 11}) {
    const TempDir dir;
    const auto stop = std::make_shared<std::atomic<bool>>(false);
    const Context stoppable = test::context({.threads = 2, .seed = 2, .stop = stop});
    StopAfter observer(stop_at, stop);
    EXPECT_THROW(train(stoppable, graph, config, {.directory = dir.path()}, &observer),
                 Interrupted);
    const TrainResult rest =
        train(context_of(2), graph, config, {.directory = dir.path(), .resume = true});
    EXPECT_EQ(rest.epochs.size(), static_cast<std::size_t>(12 - stop_at));
    EXPECT_EQ(rest.epochs_run, 12);
    EXPECT_EQ(rest.best_epoch, whole.best_epoch);
    EXPECT_TRUE(same_bytes(rest.embedding, whole.embedding)) << "stopped after " << stop_at;
    // One line per epoch, whatever was interrupted.
    const Bytes metrics = map_file(dir.path() / "metrics.jsonl");
    EXPECT_EQ(std::count(metrics.text().begin(), metrics.text().end(), '\n'), 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Resume,
                         ::testing::Values(ResumeCase{"ml", "contrast", 0, "loss"},
                                           ResumeCase{"ml", "contrast", 0, "last", "auto"},
                                           ResumeCase{"ml", "none", 0, "last"},
                                           ResumeCase{"lc", "contrast", 0, "loss"},
                                           ResumeCase{"lc", "contrast", 4, "loss"},
                                           ResumeCase{"lc", "l2norm", 3, "last"},
                                           ResumeCase{"gca", "contrast", 0, "last"},
                                           ResumeCase{"ggd", "contrast", 0, "loss"},
                                           ResumeCase{"cca-ssg", "contrast", 0, "last"}));

double largest_difference(const DenseMatrix& a, const DenseMatrix& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  double largest = 0;
  for (std::int64_t i = 0; i < a.values.size(); ++i) {
    largest = std::max<double>(largest, std::abs(a.values[i] - b.values[i]));
  }
  return largest;
}

/// From the CPU to the device under test and back: parameters, moments and what methods keep.
TEST(Checkpoint, MovesBetweenDevices) {
  const Graph graph = test::two_groups();
  for (const char* method : {"ml", "lc", "bgrl"}) {
    SCOPED_TRACE(method);
    TrainConfig config = small_config(method);
    if (config.method == "lc") config.own["curriculum"] = "3";
    config.select = Select::last;
    const TrainResult whole = train(context_of(2), graph, config);
    const TempDir dir;
    const auto stop = std::make_shared<std::atomic<bool>>(false);
    const Context cpu(Context::Options{.threads = 2, .seed = 2, .stop = stop});
    StopAfter observer(6, stop);
    EXPECT_THROW(train(cpu, graph, config, {.directory = dir.path()}, &observer), Interrupted);
    const TrainResult rest =
        train(context_of(2), graph, config, {.directory = dir.path(), .resume = true});
    EXPECT_EQ(rest.epochs_run, 12);
    EXPECT_LT(largest_difference(rest.embedding, whole.embedding), 0.02);
    stop->store(false);
    EXPECT_LT(largest_difference(embed(cpu, graph, dir.path() / "checkpoint.pt"), rest.embedding),
              1e-5);
  }
}

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoints() { train(context_of(2), graph_, config_, {.directory = dir_.path()}); }
  void resume(std::initializer_list<std::string> parts) {
    expect_error(
        [&] { train(context_of(2), graph_, config_, {.directory = dir_.path(), .resume = true}); },
        parts);
  }

  TempDir dir_;
  Graph graph_ = test::two_groups();
  TrainConfig config_ = small_config();
};

TEST_F(Checkpoints, AnotherGraphIsRefusedWithTheDifference) {
  graph_ = test::two_groups(41);
  resume({"another graph", "nodes: 40 there, 41 here"});
}

TEST_F(Checkpoints, TheSameSizesAreNotTheSameGraph) {
  std::vector<std::int32_t> columns(graph_.adjacency.columns.begin(),
                                    graph_.adjacency.columns.end());
  std::swap(columns.front(), columns.back());
  graph_.adjacency.columns = columns;
  resume({"another graph", "edges_checksum"});
}

TEST_F(Checkpoints, AnotherConfigurationIsRefusedWithTheDifference) {
  config_.lr = 0.5;
  resume({"another configuration", "lr: 0.01 there, 0.5 here"});
}

TEST_F(Checkpoints, DamageIsAnInputError) {
  const std::filesystem::path file = dir_.path() / "checkpoint.pt";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  resume({"not a checkpoint", "checkpoint.pt"});
  write_file(file, "something else");
  resume({"not a checkpoint", "checkpoint.pt"});
}

TEST_F(Checkpoints, EmbedRepeatsTheEmbedding) {
  const TrainResult result = train(context_of(2), graph_, config_);
  EXPECT_TRUE(
      same_bytes(embed(context_of(0), graph_, dir_.path() / "checkpoint.pt"), result.embedding));
}

TEST_F(Checkpoints, EmbedTakesAnotherGraphOfTheSameWidth) {
  const Graph other = test::two_groups(25);
  EXPECT_EQ(embed(context_of(0), other, dir_.path() / "checkpoint.pt").rows, 25);
}

TEST_F(Checkpoints, EmbedRefusesAnotherWidthAndNamesBoth) {
  const Graph other = test::two_groups(40, 13);
  expect_error([&] { embed(context_of(0), other, dir_.path() / "checkpoint.pt"); }, {"13", "12"});
}

TEST_F(Checkpoints, KeepTheConfiguration) {
  const TrainConfig kept = checkpoint_config(dir_.path() / "checkpoint.pt");
  EXPECT_EQ(config_toml(kept), config_toml(config_));
}

TEST(Train, ALossThatIsNotFiniteStopsTheRunAndKeepsTheBest) {
  const TempDir dir;
  TrainConfig config = small_config();
  config.lr = 100;
  // After one such step every one of the sixteen linear maps multiplies by hundreds.
  config.encoder.kind = EncoderKind::gin;
  config.encoder.layers = 8;
  const Graph graph = test::two_groups();
  expect_error([&] { train(context_of(0), graph, config, {.directory = dir.path()}); },
               {"not finite at epoch 1", "it began with are kept", "learning rate", "--lr is 100"},
               ErrorKind::environment);
  const DenseMatrix kept = embed(context_of(0), graph, dir.path() / "checkpoint.pt");
  for (const float value : kept.values) ASSERT_TRUE(std::isfinite(value));
}

TEST(Train, FeaturesAreNeeded) {
  Graph graph = test::two_groups();
  graph.features = {};
  TrainConfig config = small_config();
  config.structure_features = 0;
  expect_error([&] { train(context_of(0), graph, config); },
               {"no features", "--features", "--structure-features", "labels are not"});
}

TEST(Train, NormalisedFeaturesAreDividedByTheirSum) {
  Graph graph = test::two_groups();
  TrainConfig config = small_config();
  config.epochs = 1;
  config.pre_norm = true;
  const TrainResult inside = train(context_of(0), graph, config);
  config.pre_norm = false;
  EXPECT_FALSE(same_bytes(train(context_of(0), graph, config).embedding, inside.embedding));
  const CsrMatrix& features = std::get<CsrMatrix>(graph.features);
  std::vector<float> values;
  for (std::int64_t r = 0; r < features.rows; ++r) {
    const auto filled = static_cast<float>(features.row(r).size());
    for (std::size_t i = 0; i < features.row(r).size(); ++i) values.push_back(1 / filled);
  }
  CsrMatrix divided = features;
  divided.values = values;
  graph.features = divided;
  EXPECT_TRUE(same_bytes(train(context_of(0), graph, config).embedding, inside.embedding));
}

TEST(Train, AOneNodeGraph) {
  Graph graph;
  graph.name = "one";
  graph.adjacency = test::csr(1, {});
  graph.features = DenseMatrix{1, 2, std::vector<float>{1, 2}};
  const TrainResult result = train(context_of(0), graph, small_config());
  EXPECT_EQ(result.embedding.rows, 1);
  for (const float value : result.embedding.values) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace creg::trainer_test
