#include "io/write_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "support/expect_error.h"
#include "support/recording_log.h"
#include "support/temp_dir.h"

namespace creg::write_lock_test {
namespace {

using test::expect_error;
using test::TempDir;
using Names = std::vector<std::string>;

void expect_held(const TempDir& dir, LockMode mode) {
  expect_error([&] { const WriteLock lock(Context(), dir.path(), mode); },
               {dir.path().string(), "another process is writing there"}, ErrorKind::environment);
}

TEST(WriteLock, IsHeldByOneAndVanishes) {
  const TempDir dir;
  {
    const WriteLock lock(Context(), dir.path(), LockMode::alone);
    EXPECT_EQ(dir.list(), Names{".creg-lock"});
    expect_error([&] { const WriteLock other(Context(), dir.path(), LockMode::alone); },
                 {"process " + std::to_string(::getpid()), "--out"}, ErrorKind::environment);
    expect_held(dir, LockMode::together);
  }
  EXPECT_TRUE(dir.list().empty());
  const WriteLock again(Context(), dir.path(), LockMode::alone);
}

TEST(WriteLock, OfAFileLiesBesideIt) {
  const TempDir dir;
  const WriteLock lock(Context(), dir / "sweep.jsonl", LockMode::alone);
  EXPECT_EQ(dir.list(), Names{".sweep.jsonl.creg-lock"});
}

TEST(WriteLock, SeveralHoldItTogetherAndNobodyAloneMeanwhile) {
  const TempDir dir;
  {
    const WriteLock one(Context(), dir.path(), LockMode::together);
    {
      const WriteLock two(Context(), dir.path(), LockMode::together);
      expect_held(dir, LockMode::alone);
    }
    // The first that goes leaves it to the others.
    expect_held(dir, LockMode::alone);
  }
  EXPECT_TRUE(dir.list().empty());
}

TEST(WriteLock, AKilledHolderLetsGo) {
  const TempDir dir;
  const Context context;
  const pid_t holder = ::fork();
  ASSERT_GE(holder, 0);
  if (holder == 0) {
    const WriteLock lock(context, dir.path(), LockMode::alone);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(dir.list(), Names{".creg-lock"});
  { const WriteLock lock(Context(), dir.path(), LockMode::alone); }
  EXPECT_TRUE(dir.list().empty());
}

TEST(WriteLock, WithoutLocksIsAWarning) {
  const TempDir dir;
  const auto log = std::make_shared<test::RecordingLog>();
  const auto none = [](int /*file*/, int /*operation*/) {
    errno = ENOLCK;
    return -1;
  };
  const WriteLock lock(Context({.log = log}), dir.path(), LockMode::alone, none);
  EXPECT_TRUE(dir.list().empty());
  ASSERT_EQ(log->messages(LogLevel::warning).size(), 1U);
  EXPECT_NE(log->messages(LogLevel::warning)[0].find("has no locks"), std::string::npos);
}

TEST(WriteLock, NeverWritesThroughALink) {
  const TempDir dir;
  const auto file = dir.write("mine", "of the user");
  std::filesystem::create_directory(dir / "run");
  std::filesystem::create_symlink(file, dir / "run/.creg-lock");
  expect_error([&] { const WriteLock lock(Context(), dir / "run", LockMode::alone); },
               {".creg-lock"}, ErrorKind::environment);
  EXPECT_EQ(test::read_text(file), "of the user");
}

}  // namespace
}  // namespace creg::write_lock_test
