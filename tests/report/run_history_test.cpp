#include "report/run_history.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "creg/calibration/figures.h"
#include "report/history_lines.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::run_history_test {
namespace {

using test::expect_error;

RunHistory read(const std::string& text) {
  return read_run_history(Bytes::from_string(text, "calibration.jsonl"), "run");
}

TEST(RunHistory, ReadsColumnsByName) {
  const RunHistory run = read(
      "{\"epoch\":0,\"loss\":null,\"ece\":0.5,\"later\":[1,{\"a\":\"b\"}]}\r\n"
      "\n"
      "{\"ece\":0.25,\"epoch\":10,\"loss\":1.5,\"s_f\":3}\n"
      "{\"epoch\":20,\"loss\":1,\"ece\":0.25}");
  EXPECT_EQ(run.name, "run");
  EXPECT_EQ(run.epochs, (std::vector<std::int64_t>{0, 10, 20}));
  using Column = std::vector<std::optional<double>>;
  EXPECT_EQ(run.column("loss"), (Column{std::nullopt, 1.5, 1}));
  EXPECT_EQ(run.column("ece"), (Column{0.5, 0.25, 0.25}));
  EXPECT_EQ(run.column("s_f"), (Column{std::nullopt, 3, std::nullopt}));
  EXPECT_TRUE(run.has("s_f"));
  EXPECT_FALSE(run.has("q_positive"));
  EXPECT_EQ(run.columns.size(), history_columns().size());
  EXPECT_EQ(run.best(), 1U) << "the earlier of equals";
  EXPECT_EQ(read("{\"epoch\":1}").best(), std::nullopt);
  EXPECT_THROW(run.column("sigma"), Bug);
}

TEST(RunHistory, NamesTheLineThatIsWrong) {
  const std::string good = "{\"epoch\":5}\n";
  expect_error([&] { read(good + "{\"epoch\":6,\n"); },
               {"calibration.jsonl", "line 2", "not a JSON object"});
  expect_error([&] { read(good + "\n[1]\n"); }, {"line 3", "not a JSON object"});
  expect_error([&] { read(good + "{\"epoch\":6"); }, {"line 2", "still be writing"});
  expect_error([&] { read(good + "{\"ece\":0.5}\n"); }, {"line 2", "epoch"});
  expect_error([&] { read("{\"epoch\":-1}\n"); }, {"line 1", "-1", "whole number"});
  expect_error([&] { read("{\"epoch\":0.5}\n"); }, {"line 1", "0.5", "whole number"});
  expect_error([&] { read(good + good); }, {"line 2", "do not ascend", "one after 5"});
  expect_error([&] { read("{\"epoch\":1,\"ece\":\"high\"}\n"); },
               {"line 1", "ece", "high", "a number or null"});
  expect_error([&] { read("{\"epoch\":1,\"loss\":{}}\n"); }, {"line 1", "loss", "an object"});
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  expect_error([&] { read("{\"epoch\":1,\"ece\":" + deep + "}\n"); }, {"ece", "a list"});
  expect_error([&] { read("{\"epoch\":1,\"ece\":NaN}\n"); }, {"line 1"});
  expect_error([&] { read("{\"epoch\":1,\"ece\":1e999}\n"); }, {"line 1"});
  expect_error([&] { read("{\"epoch\":1,\"ece\":\"\xff\"}\n"); }, {"line 1"});
  expect_error([&] { read(""); }, {"calibration.jsonl", "no epoch"});
}

TEST(RunHistory, FindsRunsAndSeedsAndNamesThemShortly) {
  const test::TempDir dir;
  const std::string lines = test::history_lines(3);
  dir.write("a/cora/calibration.jsonl", lines);
  dir.write("b/cora/calibration.jsonl", lines);
  dir.write("wiki/calibration.jsonl", lines);
  for (const char* seed : {"seed-10", "seed-2", "seed-0"}) {
    dir.write(std::string("seeds/") + seed + "/calibration.jsonl", lines);
  }
  dir.write("seeds/seed-1/metrics.jsonl", "");
  dir.write("seeds/seed-x/calibration.jsonl", "broken");
  const std::vector<std::filesystem::path> folders = {dir / "a/cora", dir / "wiki/", dir / "b/cora",
                                                      dir / "seeds"};
  std::vector<std::string> names;
  for (const RunHistory& run : read_run_histories(folders)) {
    names.push_back(run.name);
    EXPECT_EQ(run.epochs.size(), 3U);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a/cora", "wiki", "b/cora", "seeds/seed-0",
                                             "seeds/seed-2", "seeds/seed-10"}));
}

TEST(RunHistory, RefusesFoldersWithoutHistoryAndRunsGivenTwice) {
  const test::TempDir dir;
  dir.write("plain/metrics.jsonl", "");
  dir.write("run/calibration.jsonl", test::history_lines(2));
  const auto read_all = [](std::vector<std::filesystem::path> folders) {
    return [folders] { read_run_histories(folders); };
  };
  expect_error(read_all({dir / "plain"}), {"plain", "calibration.jsonl", "creg train --calibrate"});
  expect_error(read_all({dir / "nothing"}), {"nothing", "no such folder"});
  expect_error(read_all({dir / "run", dir / "plain/../run"}), {"given twice", "run"});
  EXPECT_TRUE(read_run_histories({}).empty());
}

TEST(RunHistory, ReadsFiguresThatCalibrationWrites) {
  for (const std::string_view column : history_columns()) {
    if (column == "loss" || column == "contrast") continue;
    const auto keys = calibration_keys();
    EXPECT_TRUE(std::any_of(keys.begin(), keys.end(), [&](const CalibrationKey& key) {
      return key.name == column;
    })) << column;
  }
}

}  // namespace
}  // namespace creg::run_history_test
