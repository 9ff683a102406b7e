// What ranks of one run send, and what they take together.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "creg/core/error.h"
#include "creg/train/trainer.h"
#include "ranks.h"
#include "run/execute.h"
#include "support/attributed_graph.h"
#include "train/checkpoint.h"
#include "train/memory_estimate.h"
#include "train/update_traffic.h"

namespace creg::shared_run_test {
namespace {

struct Sent {
  std::int64_t bytes = 0;
  std::int64_t numbers = 0;  ///< of a gradient
};

/// What this rank sends to train so many epochs.
Sent sent_in(const std::shared_ptr<Communicator>& world, int epochs) {
  TrainConfig config;
  config.method = "ml";
  config.encoder = {.kind = EncoderKind::sage, .dim = 8, .layers = 2};
  config.batch.size = 6;
  config.batch.per_update = 5;
  config.batch.fanouts = {3, 2};
  config.epochs = epochs;
  config.patience = 0;
  const Context context({.threads = 1});
  RunFiles files;
  files.world = world;
  const std::int64_t before = world->bytes_sent();
  const TrainResult result = train(context, test::two_groups(), config, files);
  Sent sent{.bytes = world->bytes_sent() - before};
  // And of each parameter whether it has a gradient.
  for (const NamedTensor& one : result.checkpoint->model) sent.numbers += one.value.numel() + 1;
  return sent;
}

TEST(SharedRun, AnUpdateSendsWhatTheFormulaSays) {
  if (!has_communication()) GTEST_SKIP() << "this build connects no processes";
  for (const int size : {2, 3, 4}) {
    const test::Ends ends = test::run_ranks(size, [&](const RankLaunch& launch) {
      const std::shared_ptr<Communicator> world = meet_ranks(launch, {});
      const Sent two = sent_in(world, 2);
      const Sent three = sent_in(world, 3);
      // 40 nodes are 7 batches: an update of five, and one of two.
      std::int64_t expected = bytes_of_update(two.numbers, 5, size, launch.rank) +
                              bytes_of_update(two.numbers, 2, size, launch.rank);
      // And whether anybody wants to see the embedding, which rank 0 says.
      if (launch.rank == 0) expected += std::int64_t{sizeof(double)} * (size - 1);
      EXPECT_EQ(three.bytes - two.bytes, expected) << "rank " << launch.rank << " of " << size;
      world->finish();
    });
    EXPECT_EQ(ends, test::Ends(static_cast<std::size_t>(size), 0));
  }
}

TEST(SharedRun, TheMemoryOfAHostIsThatOfAllItsRanks) {
  if (!has_communication()) GTEST_SKIP() << "this build connects no processes";
  RunPlan plan;
  // Safe for one, and not for three.
  plan.memory_bytes = 2 * available_memory() / 5;
  plan.memory = {{"activations", plan.memory_bytes}};
  require_memory_for(Context(), plan);
  const test::Ends ends = test::run_ranks(3, [&](const RankLaunch& launch) {
    plan.world = meet_ranks(launch, {});
    try {
      require_memory_for(Context(), plan);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("3 ranks side by side"), std::string::npos)
          << error.what();
    }
    plan.world->finish();
  });
  EXPECT_EQ(ends, test::Ends(3, 0));
}

}  // namespace
}  // namespace creg::shared_run_test
