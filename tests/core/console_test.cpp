#include "core/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/utf8.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::console_test {
namespace {

// What `use` makes the console write, in the given mode.
std::string shown(ProgressMode mode, const std::function<void(Console&)>& use,
                  LogLevel level = LogLevel::info) {
  const test::TempDir dir;
  const int fd = ::open((dir / "out").c_str(), O_CREAT | O_RDWR, 0600);
  {
    const auto console = make_console({.progress = mode, .level = level, .fd = fd, .width = 60});
    use(*console);
  }
  ::close(fd);
  return test::read_text(dir / "out");
}

const ProgressState halfway = {
    .label = "reading", .unit = "bytes", .total = 2048, .done = 1024, .seconds = 2};

TEST(Console, BarFitsTheTerminalAndIsErasedBeforeAMessage) {
  const std::string out = shown(ProgressMode::bar, [](Console& console) {
    console.show(halfway, false);
    console.write(LogLevel::warning, "something odd");
  });
  EXPECT_NE(out.find("reading [#"), std::string::npos) << out;
  EXPECT_NE(out.find("1.0 KiB / 2.0 KiB, 512 B/s, 2.0 s left"), std::string::npos) << out;
  EXPECT_NE(out.find("\r\x1b[Kwarning: something odd\n"), std::string::npos) << out;
  EXPECT_LT(out.find("reading"), out.find("warning"));
  const std::size_t bar = out.find("reading");
  EXPECT_LT(out.find('\r', bar) - bar, 60U);
}

TEST(Console, LinesForALogFileSayDoneOrStopped) {
  const auto run = [](bool finished) {
    return shown(ProgressMode::lines, [&](Console& console) {
      console.show(halfway, false);  // too early for a line
      ProgressState end = halfway;
      end.finished = finished;
      console.show(end, true);
    });
  };
  EXPECT_EQ(run(true), "reading: 1.0 KiB / 2.0 KiB, 512 B/s, 2.0 s left, done\n");
  EXPECT_EQ(run(false), "reading: 1.0 KiB / 2.0 KiB, 512 B/s, 2.0 s left, stopped\n");
}

TEST(Console, LinesDoNotTellOfEveryStepWithinOtherWork) {
  const std::string out = shown(ProgressMode::lines, [](Console& console) {
    ProgressState whole{.label = "sweep", .unit = "epochs", .total = 100};
    for (int epoch = 0; epoch < 40; ++epoch) {
      whole.done = epoch;
      whole.seconds = epoch;
      console.show(whole, false);
      ProgressState step{.label = "pairs", .total = 5, .done = 4, .seconds = 0.5};
      console.show(step, false);
      step.finished = true;
      console.show(step, true);
    }
    // A step that takes long tells of itself.
    ProgressState slow{.label = "pairs", .total = 5, .done = 4, .seconds = 12};
    console.show(slow, false);
    slow.finished = true;
    console.show(slow, true);
    whole.finished = true;
    console.show(whole, true);
  });
  const auto count = [&](const std::string& word) {
    int found = 0;
    for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("sweep: "), 4) << out;  // at 10, 20 and 30 s, and at its end
  EXPECT_EQ(count("pairs: "), 2) << out;
}

TEST(Console, JsonIsOneObjectPerLine) {
  const std::string out = shown(ProgressMode::json, [](Console& console) {
    console.show(halfway, false);
    console.write(LogLevel::notice, "a \"quoted\"\nword");
  });
  EXPECT_EQ(out,
            "{\"progress\":\"reading\",\"done\":1024,\"total\":2048,\"unit\":\"bytes\","
            "\"seconds\":2.0,\"note\":\"\",\"last\":false,\"finished\":false}\n"
            "{\"log\":\"a \\\"quoted\\\"\\nword\",\"level\":\"notice\"}\n");
}

TEST(Console, NamesOfAnyBytesNeitherSteerATerminalNorBreakJson) {
  const std::string name = "caf\xe9 \x1b[2J";
  const auto say = [&](Console& console) {
    console.write(LogLevel::info, name);
    ProgressState state = halfway;
    state.label = name;
    console.show(state, false);
    state.finished = true;
    console.show(state, true);
  };
  for (const ProgressMode mode : {ProgressMode::bar, ProgressMode::lines}) {
    const std::string out = shown(mode, say);
    EXPECT_NE(out.find("caf\\xe9 \\x1b[2J"), std::string::npos) << out;
    EXPECT_EQ(out.find("\x1b[2J"), std::string::npos) << out;
  }
  EXPECT_TRUE(decode_utf8(shown(ProgressMode::json, say)).has_value());
}

/// What the console says of a state, as a line of a log file.
std::string line_of(ProgressState state) {
  state.finished = true;
  return shown(ProgressMode::lines, [&](Console& console) { console.show(state, true); });
}

TEST(Console, SkippedStepsDoNotCountForTheSpeed) {
  ProgressState state = {
      .label = "training", .unit = "epochs", .total = 300, .done = 100, .seconds = 5};
  EXPECT_EQ(line_of(state), "training: 100 / 300 epochs, 20/s, 10.0 s left, done\n");
  state.skipped = 90;
  EXPECT_EQ(line_of(state), "training: 100 / 300 epochs, 2/s, 1m 40s left, done\n");
  // Nothing but what was there before: no speed to tell.
  state.skipped = 100;
  EXPECT_EQ(line_of(state), "training: 100 / 300 epochs, done\n");
}

TEST(Console, SlowStepsAreToldByTheirLength) {
  ProgressState state = {
      .label = "training", .unit = "epochs", .total = 10, .done = 4, .seconds = 8};
  EXPECT_EQ(line_of(state), "training: 4 / 10 epochs, 2.0 s each, 12.0 s left, done\n");
  state.skipped = 3;
  EXPECT_EQ(line_of(state), "training: 4 / 10 epochs, 8.0 s each, 48.0 s left, done\n");
  // Bytes have a speed, however small.
  state.unit = "bytes";
  EXPECT_EQ(line_of(state), "training: 4 B / 10 B, 0 B/s, 48.0 s left, done\n");
}

TEST(Console, TheNoteIsShownInEveryMode) {
  const ProgressState state = {.label = "training",
                               .unit = "epochs",
                               .total = 10,
                               .done = 4,
                               .note = "loss \"0.5\"",
                               .seconds = 2};
  const auto run = [&](ProgressMode mode, bool last) {
    return shown(mode, [&](Console& console) { console.show(state, last); });
  };
  EXPECT_NE(run(ProgressMode::bar, false).find("2/s, 3.0 s left, loss \"0.5\""), std::string::npos);
  EXPECT_EQ(run(ProgressMode::lines, true),
            "training: 4 / 10 epochs, 2/s, 3.0 s left, loss \"0.5\", stopped\n");
  EXPECT_NE(run(ProgressMode::json, false).find(",\"note\":\"loss \\\"0.5\\\"\",\"last\":false,"),
            std::string::npos);
}

TEST(Console, NoneShowsNoProgressAndTheLevelHidesMessages) {
  EXPECT_EQ(shown(
                ProgressMode::none,
                [](Console& console) {
                  console.show(halfway, false);
                  console.write(LogLevel::info, "hidden");
                  console.write(LogLevel::warning, "seen");
                },
                LogLevel::warning),
            "warning: seen\n");
}

TEST(Console, LogFileGetsEverything) {
  const test::TempDir dir;
  {
    const auto console = make_console({.progress = ProgressMode::none,
                                       .level = LogLevel::warning,
                                       .log_file = (dir / "log").string()});
    console->write(LogLevel::debug, "detail");
  }
  EXPECT_NE(test::read_text(dir / "log").find(" detail\n"), std::string::npos);
  test::expect_error([&] { make_console({.log_file = (dir / "log" / "x").string()}); }, {"log/x"},
                     ErrorKind::environment);
}

TEST(Console, ModesHaveNames) {
  EXPECT_EQ(parse_progress_mode("auto"), ProgressMode::automatic);
  EXPECT_EQ(parse_progress_mode("json"), ProgressMode::json);
  test::expect_error([] { parse_progress_mode("fancy"); }, {"'fancy'", "auto, bar, lines"});
}

}  // namespace
}  // namespace creg::console_test
