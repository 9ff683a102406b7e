#include <gtest/gtest.h>

#include <fstream>

#include "faults/faulted_runs.h"
#include "io/npy.h"
#include "support/http_server.h"
#include "support/zip_builder.h"

namespace creg::data_faults_test {
namespace {

using test::FaultedCommand;
using test::write_small_dataset;
using Words = std::vector<std::string>;

/// What every command must stand.
void expect_stands(const FaultedCommand& command) {
  for (const char* operation : {"open", "write", "sync"}) {
    command.expect_survives(operation, "EINTR");
  }
  command.expect_survives("write", "SHORT");
  for (const char* operation : {"open", "sync", "rename", "map", "close"}) {
    command.expect_errors_are_told(operation, "EIO");
  }
  command.expect_errors_are_told("write", "ENOSPC");
}

TEST(DataConvertFaults, TheOldFileOrTheNewOne) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"data", "convert", folder + "/small.toml", folder + "/out.creg", "--threads",
                "1",    "--quiet"};
      },
      [](const std::filesystem::path& folder) {
        write_small_dataset(folder);
        std::filesystem::copy(folder / "edges.csv", folder / "out.creg");
      });
  expect_stands(command);
}

void write_old_pair(const std::filesystem::path& folder, const std::string& one,
                    const std::string& other) {
  std::ofstream(folder / one) << "old\n";
  std::ofstream(folder / other) << "old names\n";
}

/// Where there was a pair before it is the old one or the new one, never one of each.
void expect_pair_stands(const Words& more, const std::string& one, const std::string& other) {
  const auto words = [&](const std::string& folder) {
    return test::joined(
        {"data", "convert", folder + "/e.npy", folder + "/" + one, "--threads", "1", "--quiet"},
        more);
  };
  const auto prepare = [](const std::filesystem::path& folder) {
    write_npy(folder / "e.npy",
              DenseMatrix{.rows = 2, .cols = 2, .values = std::vector<float>{1, 2, 3, 4}});
    std::ofstream(folder / "e.npy.nodes.tsv") << "a\nb\n";
  };
  expect_stands(FaultedCommand(words, prepare));
  FaultedCommand over_old(words, [&](const std::filesystem::path& folder) {
    prepare(folder);
    write_old_pair(folder, one, other);
  });
  over_old.belong_together(one, other);
  expect_stands(over_old);
}

TEST(DataConvertFaults, TheProjectorsFilesAreWholeOrNotThere) {
  expect_pair_stands({"--metadata", "names"}, "x.tsv", "x.metadata.tsv");
}

TEST(DataConvertFaults, AnEmbeddingAndItsNamesAreOfOneTime) {
  expect_pair_stands({}, "x.npy", "x.npy.nodes.tsv");
}

TEST(InitFaults, NoFileIsTakenForAnotherBecauseItCannotBeRead) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"init",
                folder + "/edges.csv",
                folder + "/features.csv",
                folder + "/labels.csv",
                "--out",
                folder + "/graph.toml",
                "--threads",
                "1",
                "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_small_dataset(folder); });
  expect_stands(command);
}

TEST(HistoryFaults, FiguresAreWholeAndOfTheRunsThatTheyName) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"history",  folder + "/run", "--out",     folder + "/figures",
                "--format", "json",          "--threads", "1",
                "--quiet"};
      },
      [](const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder / "run");
        std::ofstream(folder / "run/config.toml") << "method = \"ml\"\nreg = \"contrast\"\n";
        std::ofstream(folder / "run/calibration.jsonl")
            << "{\"epoch\":0,\"loss\":2,\"ece\":0.5}\n{\"epoch\":1,\"loss\":1,\"ece\":0.25}\n";
      });
  expect_stands(command);
  command.expect_errors_are_told("mkdir", "ENOSPC");
}

/// A loss of power must not take back a name that was given.
TEST(DataConvertFaults, TheFileIsFlushedBeforeItsNameAndTheFolderAfterIt) {
  const FaultedCommand command([](const std::string& folder) -> Words {
    return {"data", "convert", "synthetic:cora@0.1", folder + "/out.creg", "--quiet"};
  });
  Words order;
  for (const test::LoggedCall& call : command.calls()) {
    if (call.operation == "rename") order.emplace_back("rename");
    if (call.operation != "sync") continue;
    order.emplace_back(call.file == command.folder() ? "sync folder" : "sync file");
  }
  EXPECT_EQ(order, (Words{"sync file", "rename", "sync folder"}));
}

TEST(DataConvertFaults, ShortMemoryIsTold) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"data", "convert", folder + "/small.toml", folder + "/out.creg", "--threads",
                "1",    "--quiet"};
      },
      [](const std::filesystem::path& folder) {
        write_small_dataset(folder, test::wide_columns);
        std::filesystem::copy(folder / "edges.csv", folder / "out.creg");
      });
  command.expect_short_memory_is_told();
}

Words partition_words(const std::string& folder) {
  return {"data",
          "partition",
          folder + "/small.toml",
          "--parts",
          "2",
          "--out",
          folder + "/parts",
          "--method",
          "streaming",
          "--threads",
          "1",
          "--quiet"};
}

/// The parts of the small graph, by the passes that are in every build.
FaultedCommand partition_command() {
  return FaultedCommand(partition_words,
                        [](const std::filesystem::path& folder) { write_small_dataset(folder); });
}

TEST(DataPartitionFaults, TheWholePartitionOrNone) {
  FaultedCommand command = partition_command();
  // What says that a partition is under way.
  command.let_stay("parts/partition.json",
                   "{\"format\":\"creg-partition\",\"version\":1,\"finished\":false}\n");
  expect_stands(command);
  command.expect_survives("lock", "EINTR");
  command.expect_errors_are_told("mkdir", "ENOSPC");
}

TEST(DataPartitionFaults, AKilledOneIsNoObstacle) {
  const FaultedCommand command = partition_command();
  for (const char* operation : {"rename", "write"}) {
    command.expect_goes_on_after_kills(operation, partition_words);
  }
}

/// An archive that a mirror has unpacked: files whose checksums nobody knows.
void write_mirror(const std::filesystem::path& folder) {
  write_small_dataset(folder);
  std::filesystem::rename(folder / "edges.csv", folder / "reddit_data.npz");
  std::filesystem::rename(folder / "features.csv", folder / "reddit_graph.npz");
}

void expect_get_stands(const FaultedCommand& command) {
  expect_stands(command);
  command.expect_survives("lock", "EINTR");
  command.expect_errors_are_told("lock", "EIO");
  command.expect_errors_are_told("mkdir", "ENOSPC");
  command.expect_errors_are_told("remove", "EIO");
}

TEST(DataGetFaults, FromAFolderTheOldFileOrTheNewOne) {
  const FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"data",           "get",      "reddit",           "--data-dir",
                folder + "/data", "--mirror", folder + "/mirror", "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_mirror(folder / "mirror"); });
  expect_get_stands(command);
  command.expect_survives("truncate", "EINTR");
  command.expect_errors_are_told("truncate", "EIO");
}

/// The archive of the same: unpacking it takes memory. Once it is there whole it stays until it is
/// unpacked.
std::string write_archive(const std::filesystem::path& folder) {
  write_small_dataset(folder, test::wide_columns);
  const std::string bytes = test::read_text(folder / "features.csv");
  const std::string archive =
      test::build_zip({{.name = "reddit_data.npz", .contents = bytes, .deflate = true},
                       {.name = "reddit_graph.npz", .contents = bytes}});
  std::ofstream(folder / "reddit.zip", std::ios::binary) << archive;
  return archive;
}

TEST(DataGetFaults, ShortMemoryIsTold) {
  FaultedCommand command(
      [](const std::string& folder) -> Words {
        return {"data",           "get",      "reddit",           "--data-dir",
                folder + "/data", "--mirror", folder + "/mirror", "--quiet"};
      },
      [](const std::filesystem::path& folder) { write_archive(folder / "mirror"); });
  command.let_stay("data/reddit/reddit.zip",
                   test::read_text(command.folder() / "mirror/reddit.zip"));
  command.expect_short_memory_is_told();
}

#ifdef CREG_HAS_CURL
TEST(DataGetFaults, OverHttpTheOldFileOrTheNewOne) {
  const test::TempDir mirror;
  write_mirror(mirror.path());
  test::HttpServer server(mirror.path());
  server.set_faults({.etags = true});
  const FaultedCommand command([&](const std::string& folder) -> Words {
    return {"data",           "get",      "reddit",     "--data-dir",
            folder + "/data", "--mirror", server.url(), "--quiet"};
  });
  expect_get_stands(command);
}

TEST(DataGetFaults, ShortMemoryOverHttpIsTold) {
  const test::TempDir mirror;
  const std::string archive = write_archive(mirror.path());
  test::HttpServer server(mirror.path());
  FaultedCommand command([&](const std::string& folder) -> Words {
    return {"data",           "get",      "reddit",     "--data-dir",
            folder + "/data", "--mirror", server.url(), "--quiet"};
  });
  command.let_stay("data/reddit/reddit.zip", archive);
  command.expect_short_memory_is_told();
}
#endif

}  // namespace
}  // namespace creg::data_faults_test
