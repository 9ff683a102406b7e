#include "creg/core/error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/expect_error.h"

namespace creg::error_test {
namespace {

TEST(Error, SaysFilePlaceWhatFoundExpectedAndHint) {
  try {
    fail_input({.what = "node id out of range",
                .file = "graph.txt",
                .place = "line 3",
                .found = "99",
                .expected = "0 to 9",
                .hint = "count from 0"});
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "graph.txt: line 3: node id out of range: found 99, expected 0 to 9\n"
                 "  count from 0");
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.detail().place, "line 3");
    return;
  }
  FAIL();
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  test::expect_error([] { fail_input({.what = "empty"}); }, {"empty"});
  EXPECT_STREQ(Error(ErrorKind::input, {.what = "w", .expected = "e"}).what(), "w: expected e");
}

TEST(Error, ErrnoIsAnEnvironmentErrorWithTheReason) {
  test::expect_error([] { fail_errno(ENOSPC, "cannot write", "out.npy"); },
                     {"out.npy: cannot write: No space left on device"}, ErrorKind::environment);
}

TEST(Invariant, NamesThePlace) {
  invariant(true, "fine");
  try {
    invariant(false, "two is three");
    FAIL();
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("two is three"), std::string::npos);
    EXPECT_NE(std::string(bug.what()).find("error_test.cpp"), std::string::npos);
  }
}

}  // namespace
}  // namespace creg::error_test
