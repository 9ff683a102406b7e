#include "run/sweep_journal.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::sweep_journal_test {
namespace {

const std::string base = "dataset = x\n";
const std::string head = "{\"base\":\"dataset = x\\n\"}\n";
const std::string line =
    "{\"point\":{\"lr\":\"0.1\"},\"val\":[0.5],\"test\":[0.25],\"seconds\":2.0}\n";
const SweepPoint point = {{"lr", "0.1"}};

TEST(SweepJournal, GivesBackWhatWasAdded) {
  const test::TempDir dir;
  SweepJournal(dir / "s", base, false).add({point, {0.5}, {0.25}, 2});
  EXPECT_EQ(test::read_text(dir / "s"), head + line);
  const SweepJournal again(dir / "s", base, false);
  ASSERT_NE(again.find(point), nullptr);
  EXPECT_EQ(again.find(point)->seconds, 2);
  EXPECT_EQ(again.find({{"lr", "0.2"}}), nullptr);
}

/// As `mktemp` leaves it.
TEST(SweepJournal, AnEmptyFileIsAName) {
  const test::TempDir dir;
  SweepJournal(dir.write("s", ""), base, false).add({point, {0.5}, {0.25}, 2});
  EXPECT_EQ(test::read_text(dir / "s"), head + line);
}

TEST(SweepJournal, ALastLineWithoutAnEndGetsOne) {
  const test::TempDir dir;
  dir.write("s", head + line.substr(0, line.size() - 1));
  SweepJournal(dir / "s", base, false).add({{{"lr", "0.2"}}, {0.5}, {0.25}, 2});
  const SweepJournal again(dir / "s", base, false);
  EXPECT_NE(again.find(point), nullptr);
  EXPECT_NE(again.find({{"lr", "0.2"}}), nullptr);
}

TEST(SweepJournal, RefusesWhatNoSweepWrites) {
  const auto expect_refused = [](const std::string& from, const std::string& to) {
    std::string text = head + line;
    text.replace(text.find(from), from.size(), to);
    test::expect_error([&] { read_sweep(Bytes::from_string(text, "s"), base); },
                       {"s: line 2", "not a line of a sweep"});
  };
  expect_refused("[0.5]", "[-5]");
  expect_refused("[0.5]", "[1e308]");
  expect_refused("[0.5]", "[]");
  expect_refused("[0.25]", "[1.5]");
  expect_refused(":2.0}", ":1e308}");
  expect_refused(":2.0}", ":-1}");
  expect_refused("[0.5]", "0.5");
}

}  // namespace
}  // namespace creg::sweep_journal_test
