#include "comm/communicator.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "comm/pending_rows.h"
#include "creg/core/error.h"
#include "ranks.h"
#include "support/temp_dir.h"

namespace creg::communicator_test {

using test::Ends;
using test::on_ranks;
using test::run_ranks;

#define CREG_REQUIRE_COMMUNICATION() \
  if (!has_communication()) GTEST_SKIP() << "this build connects no ranks"

/// How many rows rank `from` has for rank `to`: none here and there.
std::int64_t rows_between(int from, int to) {
  return (from * 3 + to * 5) % 4;
}

/// A row that says where it comes from, where it goes, and which of these it is.
std::int64_t row_value(int from, int to, std::int64_t i) {
  return from * 10000 + to * 100 + i;
}

/// Rows addressed to all, as they are sent and as they must arrive, [n, width].
at::Tensor rows_of(int rank, int size, bool sent, std::int64_t width) {
  std::vector<std::int64_t> values;
  for (int other = 0; other < size; ++other) {
    const int from = sent ? rank : other;
    const int to = sent ? other : rank;
    for (std::int64_t i = 0; i < rows_between(from, to); ++i) {
      for (std::int64_t c = 0; c < width; ++c)
        values.push_back(row_value(from, to, i) + 1000000 * c);
    }
  }
  return at::tensor(values, at::kLong).view({-1, width});
}

void check_all_to_all(Communicator& world) {
  const int rank = world.rank();
  const int size = world.size();
  std::vector<std::int64_t> send;
  std::vector<std::int64_t> receive;
  for (int other = 0; other < size; ++other) {
    send.push_back(rows_between(rank, other));
    receive.push_back(rows_between(other, rank));
  }
  const at::Tensor rows = rows_of(rank, size, true, 3);
  const at::Tensor expected = rows_of(rank, size, false, 3);
  for (const at::ScalarType type : {at::kLong, at::kFloat, at::kDouble, at::kInt}) {
    const at::Tensor got = world.all_to_all(rows.to(type), send, receive);
    EXPECT_TRUE(at::equal(got, expected.to(type)));
  }
  const at::Tensor bytes = world.all_to_all(rows.to(at::kByte), send, receive);
  EXPECT_TRUE(at::equal(bytes, expected.to(at::kByte)));
  const at::Tensor flat = rows_of(rank, size, true, 1).view({-1});
  EXPECT_TRUE(
      at::equal(world.all_to_all(flat, send, receive), rows_of(rank, size, false, 1).view({-1})));
  // Two at once, taken in the other order.
  PendingRows first = world.start_all_to_all(rows, send, receive);
  PendingRows second = world.start_all_to_all(flat, send, receive);
  EXPECT_EQ(second.take().numel(), expected.size(0));
  EXPECT_TRUE(at::equal(first.take(), expected));
  const std::vector<std::int64_t> none(static_cast<std::size_t>(size), 0);
  EXPECT_EQ(world.all_to_all(rows.narrow(0, 0, 0), none, none).sizes(),
            (std::vector<std::int64_t>{0, 3}));
}

void check_gathering(Communicator& world) {
  const int size = world.size();
  // Rank r has r rows: the first none.
  const at::Tensor own = at::full({world.rank(), 2}, world.rank() + 0.5, at::kFloat);
  std::vector<at::Tensor> all;
  std::vector<std::string> texts;
  for (int rank = 0; rank < size; ++rank) {
    all.push_back(at::full({rank, 2}, rank + 0.5, at::kFloat));
    texts.push_back(std::string(static_cast<std::size_t>(rank), 'x') + "\n\xC3\xA9");
  }
  EXPECT_TRUE(at::equal(world.all_gather(own), at::cat(all)));
  EXPECT_EQ(world.all_gather(texts[world.rank()]), texts);
  EXPECT_EQ(world.all_gather(std::string()), std::vector<std::string>(size));
  at::Tensor values = at::arange(7, at::kDouble) + 100.0 * world.rank();
  world.broadcast(values, size - 1);
  EXPECT_TRUE(at::equal(values, at::arange(7, at::kDouble) + 100.0 * (size - 1)));
}

void check_sums(Communicator& world) {
  // Numbers whose sum depends on the order they are added in.
  const auto of_rank = [](int rank) {
    const at::Tensor i = at::arange(1, 1002, at::kFloat);
    return at::sin(i * (rank + 1)) * at::pow(10.0, at::remainder(i + rank, 7));
  };
  at::Tensor expected = of_rank(0);
  for (int rank = 1; rank < world.size(); ++rank) expected = expected + of_rank(rank);
  EXPECT_TRUE(at::equal(world.sum_in_rank_order(of_rank(world.rank())), expected));
  const at::Tensor one = at::full({}, 2.5, at::kDouble);
  EXPECT_EQ(world.sum_in_rank_order(one).item<double>(), 2.5 * world.size());
}

void check_everything(Communicator& world) {
  check_all_to_all(world);
  check_gathering(world);
  check_sums(world);
  world.barrier();
}

TEST(Communicator, AWorldOfOne) {
  Communicator world;
  EXPECT_TRUE(world.alone());
  check_everything(world);
  EXPECT_EQ(world.bytes_sent(), 0);
  world.finish();
}

TEST(Communicator, CollectivesOfSeveralRanks) {
  CREG_REQUIRE_COMMUNICATION();
  for (const int size : {2, 3, 4}) on_ranks(size, {}, check_everything);
}

TEST(Communicator, PiecesOfAFewBytes) {
  CREG_REQUIRE_COMMUNICATION();
  for (const int size : {2, 3}) on_ranks(size, {.piece_bytes = 10}, check_everything);
}

TEST(Communicator, RanksOfAHost) {
  CREG_REQUIRE_COMMUNICATION();
  EXPECT_EQ(Communicator().ranks_here(), 1);
  on_ranks(3, {}, [](Communicator& world) {
    EXPECT_EQ(world.ranks_here(), 3);
    EXPECT_FALSE(world.lost_one());
  });
}

TEST(Communicator, CountsWhatItSends) {
  CREG_REQUIRE_COMMUNICATION();
  on_ranks(2, {}, [](Communicator& world) {
    const std::vector<std::int64_t> rows{5, 5};
    world.all_to_all(at::zeros({10, 3}, at::kFloat), rows, rows);
    EXPECT_EQ(world.bytes_sent(), 5 * 3 * 4);
  });
}

/// What a rank saw of the loss of another, and how soon.
struct Seen {
  std::string what;
  double seconds = 0;
};

/// Calls barriers until one throws.
Seen wait_for_loss(Communicator& world, const std::function<void(int round)>& before_each) {
  auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 1000; ++round) {
    before_each(round);
    start = std::chrono::steady_clock::now();
    try {
      world.barrier();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      return {error.what(),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    }
  }
  ADD_FAILURE() << "no rank was lost";
  return {};
}

TEST(Communicator, AKilledRankIsNamedByAllOthers) {
  CREG_REQUIRE_COMMUNICATION();
  for (const int victim : {0, 2}) {
    const Ends ends = run_ranks(4, [&](const RankLaunch& launch) {
      Communicator world(launch, {});
      const Seen seen = wait_for_loss(world, [&](int round) {
        if (round == 5 && world.rank() == victim) ::raise(SIGKILL);
      });
      EXPECT_NE(seen.what.find("rank " + std::to_string(victim) + " ("), std::string::npos)
          << seen.what;
      // Behaviour, not speed: the connections break at once, and nobody waits for a timeout. A
      // tenth of it is usual.
      EXPECT_LT(seen.seconds, 2);
    });
    for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(ends[rank], rank == victim ? -SIGKILL : 0);
  }
}

TEST(Communicator, AStoppedRankIsNamedAfterTheTimeout) {
  CREG_REQUIRE_COMMUNICATION();
  const test::TempDir folder;
  const Ends ends = run_ranks(3, [&](const RankLaunch& launch) {
    Communicator world(launch, {.timeout_seconds = 2});
    if (world.rank() == 1) {
      std::ofstream(folder / "pid") << ::getpid();
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    const Seen seen = wait_for_loss(world, [](int) {});
    EXPECT_NE(seen.what.find("rank 1 ("), std::string::npos) << seen.what;
    if (world.rank() == 0) {
      pid_t stopped = 0;
      std::ifstream(folder / "pid") >> stopped;
      ::kill(stopped, SIGCONT);
    }
  });
  EXPECT_EQ(ends[0], 0);
  EXPECT_EQ(ends[2], 0);
}

TEST(Communicator, ARankThatFailsTellsWhy) {
  CREG_REQUIRE_COMMUNICATION();
  const Ends ends = run_ranks(3, [](const RankLaunch& launch) {
    Communicator world(launch, {});
    if (world.rank() == 2) {
      world.fail("no space left on device");
      return;
    }
    const Seen seen = wait_for_loss(world, [](int) {});
    EXPECT_NE(seen.what.find("rank 2 ("), std::string::npos) << seen.what;
    EXPECT_NE(seen.what.find("no space left on device"), std::string::npos) << seen.what;
  });
  EXPECT_EQ(ends, (Ends{0, 0, 0}));
}

TEST(Communicator, ComputingForLongIsNoLoss) {
  CREG_REQUIRE_COMMUNICATION();
  on_ranks(2, {.timeout_seconds = 1}, [](Communicator& world) {
    if (world.rank() == 1) ::usleep(2500000);
    world.barrier();
  });
}

TEST(Communicator, CtrlCWhileTheOthersAreWaitedFor) {
  CREG_REQUIRE_COMMUNICATION();
  // Of two ranks, each alone: one that others would come to, and one that comes to nobody.
  for (const int alone : {0, 1}) {
    const Ends ends = run_ranks(2, [&](const RankLaunch& launch) {
      if (launch.rank != alone) return;
      const auto start = std::chrono::steady_clock::now();
      const auto waited = [&] { return std::chrono::steady_clock::now() - start; };
      EXPECT_THROW(
          Communicator(launch, {.timeout_seconds = 60,
                                .stopped = [&] { return waited() > std::chrono::seconds(1); }}),
          Interrupted);
      EXPECT_LT(waited(), std::chrono::seconds(20));
    });
    EXPECT_EQ(ends, (Ends{0, 0}));
  }
}

TEST(Communicator, AFrozenRank0IsNotWaitedForWithoutEnd) {
  CREG_REQUIRE_COMMUNICATION();
  // Its system still takes connections.
  const test::SilentServer frozen;
  const RankLaunch launch = test::local_launch(1, 2, frozen.port());
  try {
    const Communicator world(launch, {.timeout_seconds = 1});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find("rank 0 is not where"), std::string::npos)
        << error.what();
  }
  const auto start = std::chrono::steady_clock::now();
  const auto waited = [&] { return std::chrono::steady_clock::now() - start; };
  EXPECT_THROW(
      Communicator(launch, {.timeout_seconds = 3600,
                            .stopped = [&] { return waited() > std::chrono::seconds(1); }}),
      Interrupted);
}

TEST(Communicator, RanksThatDoNotComeAreNamed) {
  CREG_REQUIRE_COMMUNICATION();
  const Ends ends = run_ranks(3, [](const RankLaunch& launch) {
    if (launch.rank == 1) return;
    try {
      const Communicator world(launch, {.timeout_seconds = 1});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      if (launch.rank == 0) {
        EXPECT_NE(std::string(error.what()).find("rank 1 "), std::string::npos) << error.what();
      }
    }
  });
  EXPECT_EQ(ends, (Ends{0, 0, 0}));
}

}  // namespace creg::communicator_test
