#include "tasks/finetune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "creg/train/trainer.h"
#include "graph/transforms.h"
#include "support/attributed_graph.h"
#include "support/device_under_test.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::finetune_test {
namespace {

using test::expect_error;

std::vector<std::int32_t> list(const Array<std::int32_t>& part) {
  return {part.begin(), part.end()};
}

TEST(PretrainParts, ByNumberAreAShareAndThirdsOfTheRest) {
  const PretrainParts parts = parts_by_number(17, 0.6);  // 10, then 2, 2 and 3
  EXPECT_EQ(parts.pretrain.size(), 10);
  EXPECT_EQ(parts.pretrain[9], 9);
  EXPECT_EQ(list(parts.train), (std::vector<std::int32_t>{10, 11}));
  EXPECT_EQ(list(parts.val), (std::vector<std::int32_t>{12, 13}));
  EXPECT_EQ(list(parts.test), (std::vector<std::int32_t>{14, 15, 16}));
}

TEST(PretrainParts, OfASplitLeaveTheOtherNodesForPretraining) {
  Split split{.name = "mine"};
  split.train = std::vector<std::int32_t>{4, 1};
  split.val = std::vector<std::int32_t>{6};
  split.test = std::vector<std::int32_t>{0};
  const PretrainParts parts = parts_of_split(split, 8);
  EXPECT_EQ(list(parts.pretrain), (std::vector<std::int32_t>{2, 3, 5, 7}));
  EXPECT_EQ(list(parts.train), (std::vector<std::int32_t>{1, 4}));
}

TEST(PretrainParts, AfterTrainingAreThirdsOfWhatWasNotInIt) {
  Split split{.name = "public"};
  split.train = std::vector<std::int32_t>{5, 0, 2};
  const PretrainParts parts = parts_after_training(split, 7);
  EXPECT_EQ(list(parts.pretrain), (std::vector<std::int32_t>{0, 2, 5}));
  EXPECT_EQ(list(parts.train), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(list(parts.val), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(list(parts.test), (std::vector<std::int32_t>{4, 6}));
}

TEST(PretrainParts, WithoutNodesAreInputErrors) {
  expect_error([] { parts_by_number(4, 0.7); }, {"part without nodes", "train"});
  expect_error([] { parts_by_number(100, 0.001); }, {"part without nodes", "pretrain"});
  for (const double share : {0.0, 1.0, -1.0, std::nan("")}) {
    expect_error([&] { parts_by_number(100, share); }, {"share", "more than 0 and less than 1"});
  }
  Split split{.name = "mine"};
  split.train = std::vector<std::int32_t>{1};
  split.val = std::vector<std::int32_t>{2};
  expect_error([&] { parts_of_split(split, 8); }, {"part without nodes", "test"});
}

class Finetune : public ::testing::Test {
 protected:
  Finetune() {
    config_.encoder = {.kind = EncoderKind::sage, .dim = 16, .layers = 2};
    config_.epochs = 20;
    config_.patience = 0;
    config_.lr = 1e-2;
  }

  FinetuneResult tune(const std::optional<std::filesystem::path>& checkpoint = {}) {
    return finetune(context_, graph_, parts_, config_, checkpoint, options_);
  }

  /// Pretrains on the first part and keeps the checkpoint in the folder.
  std::filesystem::path pretrain() {
    train(context_, induced_subgraph(context_, graph_, parts_.pretrain.span()), config_,
          {.directory = folder_.path()});
    return folder_ / "checkpoint.pt";
  }

  test::TempDir folder_;
  Context context_ = test::context({.threads = 2, .seed = 1});
  Graph graph_ = test::two_groups(150);
  PretrainParts parts_ = parts_by_number(150, 0.5);
  TrainConfig config_;
  FinetuneOptions options_{.lr = 1e-2, .epochs = 60};
};

TEST_F(Finetune, LearnsTheLabelsOfAnotherPart) {
  for (const EncoderKind kind : {EncoderKind::sage, EncoderKind::gcn, EncoderKind::gat}) {
    config_.encoder.kind = kind;
    const FinetuneResult result = tune();
    EXPECT_GT(result.accuracy, 0.8) << name_of(kind);
    EXPECT_GT(result.val_accuracy, 0.8);
    EXPECT_EQ(result.train, 25);
    EXPECT_EQ(result.test, 25);
    EXPECT_EQ(result.classes_not_in_train, 0);
    EXPECT_LE(result.epochs_run, result.best_epoch + 1 + options_.patience + 1);
  }
}

/// Not piece by piece, as SAGE otherwise is: the spread of a channel is that of all nodes.
TEST_F(Finetune, NormalisedChannelsAreSeenWhole) {
  config_.encoder.channel_norm = true;
  EXPECT_GT(tune().accuracy, 0.8);
}

TEST_F(Finetune, StartsFromTheCheckpoint) {
  const std::filesystem::path checkpoint = pretrain();
  options_.lr = 1e-8;  // the encoder stays as it was
  options_.epochs = 1;
  config_.encoder.dim = 16;
  const double fresh = tune().val_accuracy;
  const double pretrained = tune(checkpoint).val_accuracy;
  EXPECT_NE(fresh, pretrained);
  options_ = {.lr = 1e-2, .epochs = 60};
  EXPECT_GT(tune(checkpoint).accuracy, 0.8);
}

TEST_F(Finetune, TheSameSeedGivesTheSameResult) {
  const FinetuneResult once = tune();
  const FinetuneResult again = tune();
  EXPECT_EQ(once.accuracy, again.accuracy);
  EXPECT_EQ(once.best_epoch, again.best_epoch);
}

TEST_F(Finetune, StopsWhenTheValidationAccuracyDoesNotRise) {
  options_.patience = 3;
  options_.epochs = 1000;
  const FinetuneResult result = tune();
  EXPECT_LT(result.epochs_run, 1000);
  EXPECT_EQ(result.epochs_run, result.best_epoch + 1 + 4);
}

TEST_F(Finetune, AClassThatNoTrainingNodeHasIsCounted) {
  std::vector<std::int32_t> labels(graph_.labels.begin(), graph_.labels.end());
  labels[149] = 2;
  graph_.labels = labels;
  EXPECT_EQ(tune().classes_not_in_train, 1);
}

TEST_F(Finetune, BadInputIsRefused) {
  const std::filesystem::path checkpoint = pretrain();
  graph_ = test::two_groups(150, 13);
  expect_error([&] { tune(checkpoint); }, {"13", "12", "checkpoint.pt"});
  graph_ = test::two_groups(150);
  std::vector<std::int32_t> labels(graph_.labels.begin(), graph_.labels.end());
  for (const std::int32_t node : parts_.val) labels[node] = unlabelled;
  graph_.labels = labels;
  expect_error([&] { tune(); }, {"without labels", "val"});
  graph_.labels = {};
  expect_error([&] { tune(); }, {"needs labels"});
}

}  // namespace
}  // namespace creg::finetune_test
