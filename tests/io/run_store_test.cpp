#include "io/run_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "core/build_info.h"
#include "io/store/sqlite.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::run_store_test {
namespace {

using test::expect_error;
using test::TempDir;

#define CREG_REQUIRE_SQLITE() \
  if (!build_info().sqlite) GTEST_SKIP() << "built without SQLite"

RunKey key_of(std::uint64_t seed) {
  return {.dataset = "ring",
          .graph = "12 nodes",
          .method = "ml",
          .regulariser = "contrast",
          .encoder = "gcn",
          .config = "lr = 0.001\n",
          .build = "creg 0",
          .device = "cpu fp32",
          .seed = seed};
}

RunOutcome outcome_of(double value) {
  return {.figures = {{{"classify public", "accuracy"}, {value, value / 2}}},
          .seconds = 1.5,
          .threads = 2,
          .epochs = 300,
          .memory_bytes = 4096};
}

TEST(RunStore, KeepsWhatARunCameTo) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const std::uint64_t large = 0xfedcba9876543210;
  {
    RunStore store(Context(), dir / "store");
    EXPECT_FALSE(store.find(key_of(large)));
    const auto run = store.claim(key_of(large));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->state, RunState::waiting);
    EXPECT_EQ(store.find(key_of(large))->state, RunState::running);
    store.name_cells(run->id, {{"table / ML / Cora", "classify public"}});
    store.finish(run->id, outcome_of(0.5), "a folder");
    const auto other = store.claim(key_of(1));
    ASSERT_TRUE(other);
    store.fail(other->id, "the loss is not finite");
  }
  const std::vector<StoredRun> runs = read_run_store(Context(), dir / "store");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].state, RunState::done);
  EXPECT_EQ(runs[0].key.seed, large);
  EXPECT_EQ(runs[0].key.config, "lr = 0.001\n");
  EXPECT_FALSE(runs[0].key.edge_split);
  EXPECT_EQ(runs[0].folder, (dir / "store.runs/a folder").string());
  std::filesystem::rename(dir / "store", dir / "moved");
  EXPECT_EQ(read_run_store(Context(), dir / "moved")[0].folder,
            (dir / "moved.runs/a folder").string());
  EXPECT_EQ(runs[0].cells.at("table / ML / Cora"), "classify public");
  EXPECT_EQ(runs[0].machine, machine_name());
  EXPECT_EQ(runs[0].outcome.seconds, 1.5);
  EXPECT_EQ(runs[0].outcome.memory_bytes, 4096);
  EXPECT_EQ(runs[0].outcome.figures, outcome_of(0.5).figures);
  EXPECT_EQ(runs[1].state, RunState::failed);
  EXPECT_EQ(runs[1].problem, "the loss is not finite");
}

TEST(RunStore, RunsDifferByEveryPartOfTheirKey) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  RunStore store(Context(), dir / "store");
  const RunKey one = key_of(0);
  std::vector<RunKey> others(7, one);
  others[0].dataset = "path";
  others[1].graph = "13 nodes";
  others[2].config = "lr = 0.002\n";
  others[3].build = "creg 1";
  others[4].device = "cuda fp32";
  others[5].seed = 1;
  others[6].edge_split = 0;
  store.finish(store.claim(one)->id, outcome_of(1));
  for (const RunKey& other : others) EXPECT_FALSE(store.find(other));
  EXPECT_TRUE(store.find(one));
}

TEST(RunStore, MoreFiguresComeBesideThoseThatAreThere) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  RunStore store(Context(), dir / "store");
  store.finish(store.claim(key_of(0))->id, outcome_of(0.5), "/kept");
  const auto again = store.claim(key_of(0));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->state, RunState::done);
  store.finish(again->id, {.figures = {{{"cluster", "nmi"}, {0.25}}}});
  const StoredRun run = *store.find(key_of(0));
  EXPECT_EQ(run.folder, "/kept");
  EXPECT_EQ(run.outcome.figures.size(), 2U);
}

TEST(RunStore, AClaimIsOnesOwnUntilItIsLetGo) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  RunStore one(Context(), dir / "store");
  auto two = std::make_unique<RunStore>(Context(), dir / "store");
  const auto run = two->claim(key_of(0));
  ASSERT_TRUE(run);
  EXPECT_FALSE(one.claim(key_of(0)));
  two->release(run->id);
  EXPECT_TRUE(one.claim(key_of(0)));
  EXPECT_FALSE(two->claim(key_of(0)));
  ASSERT_TRUE(two->claim(key_of(1)));
  two.reset();
  EXPECT_TRUE(one.claim(key_of(1)));
}

TEST(RunStore, AClaimThatShowsNoLifeRunsOut) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  RunStore one(Context(), dir / "store", {.lease = 0.2});
  ASSERT_TRUE(one.claim(key_of(0)));
  RunStore two(Context(), dir / "store");
  // As if it were on another machine, which was switched off.
  Sqlite(dir / "store", {}).run("UPDATE runs SET owner = 'elsewhere 1 1'");
  while (!two.claim(key_of(0))) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST(RunStore, AClaimOfALivingProcessIsDrawnOut) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  RunStore store(Context(), dir / "store", {.lease = 1});
  ASSERT_TRUE(store.claim(key_of(0)));
  Sqlite database(dir / "store", {});
  const auto lease = [&] { return database.run("SELECT lease FROM runs"); };
  const auto first = lease();
  while (lease() == first) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LT(std::get<double>(first.at(0).at(0)), std::get<double>(lease().at(0).at(0)));
}

/// Claims and finishes runs until none is left, with a pause in each.
void work_on(const std::filesystem::path& path, int runs, int pause_ms) {
  const Context context({.threads = 1});
  RunStore store(context, path);
  for (bool left = true; left;) {
    left = false;
    for (int seed = 0; seed < runs; ++seed) {
      const RunKey key = key_of(static_cast<std::uint64_t>(seed));
      const auto known = store.find(key);
      if (known && known->state == RunState::done) continue;
      left = true;
      const auto run = store.claim(key);
      if (!run) continue;
      if (run->state == RunState::done) {
        store.release(run->id);
        continue;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      store.finish(run->id, outcome_of(seed));
    }
  }
}

pid_t start_worker(const std::filesystem::path& path, int runs, int pause_ms) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work_on(path, runs, pause_ms);
  } catch (const std::exception& error) {
    static_cast<void>(!::write(STDERR_FILENO, error.what(), std::string(error.what()).size()));
    ::_exit(1);
  }
  ::_exit(0);
}

void expect_all_done(const std::filesystem::path& path, int runs) {
  const std::vector<StoredRun> found = read_run_store(Context(), path);
  ASSERT_EQ(found.size(), static_cast<std::size_t>(runs));
  for (const StoredRun& run : found) {
    EXPECT_EQ(run.state, RunState::done);
    EXPECT_EQ(run.outcome.figures, outcome_of(static_cast<double>(run.key.seed)).figures);
  }
  Sqlite database(path, {});
  EXPECT_EQ(database.run("PRAGMA integrity_check"),
            (std::vector<SqlRow>{{SqlValue(std::string("ok"))}}));
}

TEST(RunStore, TwoProcessesShareTheWork) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  constexpr int runs = 30;
  const pid_t one = start_worker(dir / "store", runs, 2);
  const pid_t two = start_worker(dir / "store", runs, 2);
  for (const pid_t worker : {one, two}) {
    int status = -1;
    ASSERT_EQ(::waitpid(worker, &status, 0), worker);
    EXPECT_EQ(status, 0);
  }
  expect_all_done(dir / "store", runs);
}

TEST(RunStore, KilledProcessesLoseWhatTheyHadInHandAndNothingElse) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  constexpr int runs = 40;
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same moments every time
  for (int kill = 0; kill < 20; ++kill) {
    const pid_t worker = start_worker(dir / "store", runs, 1);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution(0, 25)(random)));
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
  work_on(dir / "store", runs, 0);
  expect_all_done(dir / "store", runs);
}

TEST(RunStore, RefusesWhatIsNoStore) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  const auto open = [&] { const RunStore store(Context(), dir / "file"); };
  dir.write("file", "edges,of,mine\n1,2,3\n");
  expect_error(open, {"not a run store", "no database", "--store"});
  EXPECT_EQ(test::read_text(dir / "file"), "edges,of,mine\n1,2,3\n");
  expect_error([&] { const RunStore store(Context(), dir.path()); }, {"a folder"});
  expect_error([&] { read_run_store(Context(), dir / "none"); }, {"no such run store"});

  const auto remake = [&](std::initializer_list<const char*> statements) {
    std::filesystem::remove(dir / "file");
    { const RunStore store(Context(), dir / "file"); }
    Sqlite database(dir / "file", {});
    for (const char* const statement : statements) database.run(statement);
  };
  std::filesystem::remove(dir / "file");
  Sqlite(dir / "file", {}).run("CREATE TABLE theirs(a)");
  expect_error(open, {"a database of something else"});
  remake({"PRAGMA user_version = 7"});
  expect_error(open, {"another version", "version 7", "version 1"});
  remake({"CREATE VIEW more AS SELECT 1"});
  expect_error(open, {"tables of something else"});
  remake({"CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM runs; END"});
  expect_error(open, {"tables of something else"});
  remake({"DROP TABLE figures", "CREATE TABLE figures(run, task, metric, place, value)"});
  expect_error(open, {"tables of something else"});
  remake(
      {"INSERT INTO runs(key, dataset, graph, method, regulariser, encoder, config, build, "
       "device, seed, state) VALUES('k','d','g','m','r','e','c','b','d','-1','done')"});
  expect_error([&] { read_run_store(Context(), dir / "file"); }, {"nothing of ours wrote"});
  for (const char* const outcome : {"threads = 99999999999", "epochs = -5", "epochs = 4294967297",
                                    "memory = -7", "seconds = -1"}) {
    const std::string spoil = std::string("UPDATE runs SET ") + outcome;
    remake(
        {"INSERT INTO runs(key, dataset, graph, method, regulariser, encoder, config, build, "
         "device, seed, state) VALUES('k','d','g','m','r','e','c','b','d','1','done')",
         spoil.c_str()});
    expect_error([&] { read_run_store(Context(), dir / "file"); }, {"nothing of ours wrote"});
  }
}

TEST(RunStore, ADamagedFileIsAnErrorAtEveryLength) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  {
    RunStore store(Context(), dir / "whole");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      store.finish(store.claim(key_of(seed))->id, outcome_of(0.5));
    }
  }
  const std::string whole = test::read_text(dir / "whole");
  std::mt19937 random(2);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same damage every time
  for (int i = 0; i < 60; ++i) {
    std::string bad = whole;
    const auto place = std::uniform_int_distribution<std::size_t>(0, whole.size() - 1)(random);
    if (i % 2 == 0) {
      bad.resize(std::max<std::size_t>(1, place));
    } else {
      bad[place] = static_cast<char>(bad[place] ^ 0x55);
    }
    dir.write("bad", bad);
    try {
      read_run_store(Context(), dir / "bad");  // damage may hit what is not looked at
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("bad"), std::string::npos) << error.what();
    }
  }
}

TEST(RunStore, SaysWhatStandsInItsWay) {
  CREG_REQUIRE_SQLITE();
  const TempDir dir;
  { const RunStore made(Context(), dir / "store"); }
  Sqlite other(dir / "store", {});
  other.in_transaction([&] {
    RunStore store(Context(), dir / "store", {.patience = 0.1});
    expect_error([&] { store.claim(key_of(0)); }, {"another process holds the run store"},
                 ErrorKind::environment);
  });
  Sqlite reader(dir / "store", {.write = false});
  expect_error([&] { reader.run("DELETE FROM runs"); }, {"cannot be written"},
               ErrorKind::environment);
  Sqlite full(dir / "store", {});
  full.run("PRAGMA max_page_count = 1");
  expect_error([&] { full.run("INSERT INTO figures SELECT 1, hex(zeroblob(60000)), 'm', 0, 0.5"); },
               {"no space left"}, ErrorKind::environment);
}

TEST(RunStore, WithoutSqliteEveryCallSaysSo) {
  if (build_info().sqlite) return;
  const TempDir dir;
  expect_error([&] { const RunStore store(Context(), dir / "store"); }, {"has no SQLite"},
               ErrorKind::environment);
}

}  // namespace
}  // namespace creg::run_store_test
