#include <gtest/gtest.h>

#include <fstream>

#include "faults/faulted_runs.h"
#include "io/npy.h"
#include "report/report_page.h"

namespace creg::train_faults_test {
namespace {

using test::FaultedCommand;
using test::write_small_dataset;
using Words = std::vector<std::string>;

FaultedCommand small_training(const Words& more = {}) {
  return FaultedCommand(
      [&](const std::string& folder) {
        Words words = {"train",
                       "--dataset",
                       folder + "/small.toml",
                       "--out",
                       folder + "/run",
                       "--dim",
                       "4",
                       "--epochs",
                       "2",
                       "--patience",
                       "0",
                       "--edge-split",
                       "1",
                       "--calibrate",
                       "1",
                       "--tensorboard",
                       "--threads",
                       "1",
                       "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder); });
}

FaultedCommand small_sweep() {
  return FaultedCommand(
      [](const std::string& folder) -> Words {
        return {"sweep",         "none",
                "--dataset",     folder + "/small.toml",
                "--out",         folder + "/kept/sweep.jsonl",
                "--dim",         "4",
                "--epochs",      "2",
                "--patience",    "0",
                "--grid",        "lr=0.01,0.001",
                "--eval-splits", "1",
                "--threads",     "1",
                "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder); });
}

void expect_survives_interruptions(const FaultedCommand& command) {
  for (const char* operation : {"open", "write", "sync"}) {
    command.expect_survives(operation, "EINTR");
  }
  command.expect_survives("write", "SHORT");
}

TEST(TrainFaults, InterruptionsAndShortWritesAreSurvived) {
  expect_survives_interruptions(small_training());
}

TEST(TrainFaults, FilesThatCannotBeOpenedAreNamed) {
  small_training().expect_errors_are_told("open", "EIO");
}

TEST(TrainFaults, AFullDiskLeavesWholeFiles) {
  const FaultedCommand command = small_training();
  command.expect_errors_are_told("write", "ENOSPC");
  command.expect_errors_are_told("mkdir", "ENOSPC");
}

TEST(TrainFaults, AFailingDiskLeavesWholeFiles) {
  const FaultedCommand command = small_training();
  for (const char* operation : {"sync", "rename", "map", "close"}) {
    command.expect_errors_are_told(operation, "EIO");
  }
}

void expect_resumes_after_kills(const FaultedCommand& command,
                                const std::vector<const char*>& operations) {
  for (const char* operation : operations) {
    command.expect_goes_on_after_kills(operation, [&](const std::string& folder) {
      const bool begun = std::filesystem::exists(folder + "/run/config.toml");
      return begun ? Words{command.arguments().front(), "--resume", folder + "/run", "--quiet"}
                   : command.arguments();
    });
  }
}

TEST(TrainFaults, KilledAtAnyFileItGoesOnToTheSameBytes) {
  expect_resumes_after_kills(small_training(), {"open", "rename"});
}

TEST(TrainFaults, SeedsThatAreKilledAtAnyFileGoOnToTheSameBytes) {
  expect_resumes_after_kills(small_training({"--seeds", "2"}), {"mkdir", "rename"});
}

/// Checkpoints come in the middle of epochs here.
TEST(TrainFaults, BatchesThatAreKilledAtAnyFileGoOnToTheSameBytes) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"train",
                "--dataset",
                folder + "/small.toml",
                "--out",
                folder + "/run",
                "--dim",
                "4",
                "--epochs",
                "3",
                "--patience",
                "0",
                "--encoder",
                "sage",
                "--batch-size",
                "5",
                "--fanouts",
                "2",
                "--threads",
                "1",
                "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder); }, "ticking");
  expect_resumes_after_kills(command, {"rename"});
}

TEST(PretrainFaults, KilledAtAnyFileItGoesOnToTheSameBytes) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"pretrain",
                "--dataset",
                folder + "/small.toml",
                "--out",
                folder + "/run",
                "--dim",
                "4",
                "--epochs",
                "1",
                "--patience",
                "0",
                "--seeds",
                "2",
                "--pretrain-share",
                "0.5",
                "--threads",
                "1",
                "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder); });
  expect_resumes_after_kills(command, {"mkdir", "rename"});
}

/// Wide enough for large allocations.
FaultedCommand wide(const Words& words, int dim, const std::string& out) {
  return FaultedCommand(
      [&](const std::string& folder) {
        return test::joined(
            words, {"--dataset", folder + "/small.toml", "--dim", std::to_string(dim), "--epochs",
                    "1", "--patience", "0", "--quiet", "--out", folder + out});
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder, test::wide_columns); });
}

TEST(TrainFaults, ShortMemoryIsTold) {
  wide({"train", "--threads", "1"}, test::wide_columns, "/run").expect_short_memory_is_told();
}

/// What the two below take is taken by the one above as well, but by other threads.
TEST(TrainFaults, ShortMemoryOfBatchesThatAreDrawnAheadIsTold) {
  wide({"train", "--batch-size", "25", "--fanouts", "5", "--threads", "2"}, 100, "/run")
      .expect_short_memory_is_told(4);
}

TEST(TrainFaults, ShortMemoryOfSeedsSideBySideIsTold) {
  wide({"train", "--method", "lc", "--seeds", "2", "--threads", "2"}, 100, "/run")
      .expect_short_memory_is_told(4);
}

TEST(SweepFaults, InterruptionsAndShortWritesAreSurvived) {
  expect_survives_interruptions(small_sweep());
}

TEST(SweepFaults, TheKeptPointsAreWhole) {
  const FaultedCommand command = small_sweep();
  for (const char* operation : {"open", "sync", "rename", "map", "close"}) {
    command.expect_errors_are_told(operation, "EIO");
  }
  command.expect_errors_are_told("write", "ENOSPC");
  command.expect_errors_are_told("mkdir", "ENOSPC");
}

TEST(SweepFaults, KilledAtAnyFileItGoesOnToTheSameBytes) {
  const FaultedCommand command = small_sweep();
  for (const char* operation : {"open", "rename"}) {
    command.expect_goes_on_after_kills(
        operation, [&](const std::string& /*folder*/) { return command.arguments(); });
  }
}

TEST(SweepFaults, ShortMemoryIsTold) {
  wide({"sweep", "none", "--grid", "lr=0.01,0.001", "--eval-splits", "1", "--threads", "1"}, 100,
       "/sweep.jsonl")
      .expect_short_memory_is_told();
}

TEST(NeighborsFaults, TheFileIsWholeOrNotThere) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"neighbors", folder + "/e.npy",  "--all",     "-k", "2",
                "--out",     folder + "/nn.tsv", "--threads", "1",  "--quiet"};
      },
      [](const std::filesystem::path& folder) {
        write_npy(folder / "e.npy",
                  DenseMatrix{
                      .rows = 4, .cols = 2, .values = std::vector<float>{1, 2, 3, 4, 5, 1, 2, 2}});
      });
  expect_survives_interruptions(command);
  for (const char* operation : {"open", "sync", "rename", "close"}) {
    command.expect_errors_are_told(operation, "EIO");
  }
  command.expect_errors_are_told("write", "ENOSPC");
}

/// Commands that look at a run, which is made once and is in the folder before each of them.
class RunFaults : public ::testing::Test {
 protected:
  RunFaults() {
    const std::string toml = write_small_dataset(dir_.path());
    const test::RunResult made =
        test::run_creg({"train", "--dataset", toml, "--out", (dir_ / "run").string(), "--dim", "4",
                        "--epochs", "2", "--threads", "1", "--quiet"});
    EXPECT_EQ(made.status, 0) << made.err;
  }

  /// With an embedding and its names from before, which no other command reads.
  FaultedCommand command(const std::function<Words(const std::string& folder)>& words) const {
    return FaultedCommand(
        [&](const std::string& folder) {
          return test::joined(words(folder), {"--threads", "1", "--quiet"});
        },
        [this](const std::filesystem::path& folder) {
          std::filesystem::copy(dir_.path(), folder, std::filesystem::copy_options::recursive);
          std::ofstream(folder / "e.npy") << "old";
          std::ofstream(folder / "e.npy.nodes.tsv") << "old names";
        });
  }

  /// The run's own files are as they were.
  static void expect_stands(const FaultedCommand& command) {
    expect_survives_interruptions(command);
    for (const char* operation : {"open", "sync", "rename", "map", "close"}) {
      command.expect_errors_are_told(operation, "EIO");
    }
    command.expect_errors_are_told("write", "ENOSPC");
  }

  test::TempDir dir_;
};

TEST_F(RunFaults, AnEmbeddingAndItsNamesAreOfOneTime) {
  FaultedCommand embed = command([](const std::string& folder) -> Words {
    return {"embed",          "--checkpoint",         folder + "/run/checkpoint.pt",
            "--dataset",      folder + "/small.toml", "--out",
            folder + "/e.npy"};
  });
  embed.belong_together("e.npy", "e.npy.nodes.tsv");
  expect_stands(embed);
}

TEST_F(RunFaults, DiagramsAreWhole) {
  const FaultedCommand calibrate = command([](const std::string& folder) -> Words {
    return {"calibrate", folder + "/run/embedding.npy", "--dataset", folder + "/small.toml",
            "--out",     folder + "/diagrams"};
  });
  expect_stands(calibrate);
  calibrate.expect_errors_are_told("mkdir", "ENOSPC");
}

TEST_F(RunFaults, ThePageIsTheOldOneOrTheNewOne) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  expect_stands(command([](const std::string& folder) -> Words {
    return {"report", folder + "/run", "-o",      folder + "/e.npy",
            "--map",  "none",          "--title", "a run"};
  }));
}

}  // namespace
}  // namespace creg::train_faults_test
