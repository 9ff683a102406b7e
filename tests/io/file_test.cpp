#include "io/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::file_test {
namespace {

using Names = std::vector<std::string>;

TEST(MapFile, GivesTheBytes) {
  const test::TempDir dir;
  EXPECT_EQ(map_file(dir.write("a", "hello")).text(), "hello");
  EXPECT_EQ(map_file(dir.write("empty", "")).size(), 0);
}

TEST(MapFile, SaysWhatIsWrong) {
  const test::TempDir dir;
  test::expect_error([&] { map_file(dir / "none"); }, {"none: no such file"});
  test::expect_error([&] { map_file(dir.path()); }, {"this is a folder"});
  test::expect_error([&] { map_file("/dev/null"); }, {"not a regular file"});
}

TEST(IsThere, TellsMissingFromPresent) {
  const test::TempDir dir;
  EXPECT_TRUE(is_there(dir.write("a", "")));
  EXPECT_TRUE(is_there(dir.path()));
  EXPECT_TRUE(is_file(dir / "a"));
  EXPECT_FALSE(is_file(dir.path()));
  EXPECT_FALSE(is_file(dir / "none"));
  EXPECT_FALSE(is_there(dir / "none"));
  EXPECT_FALSE(is_there(dir / "a/below"));
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const test::TempDir dir;
  dir.write("out", "old");
  {
    AtomicFile file(dir / "out");
    file.write("new");
    EXPECT_EQ(test::read_text(dir / "out"), "old");
  }
  EXPECT_EQ(test::read_text(dir / "out"), "old");
  EXPECT_EQ(dir.list(), Names{"out"});
  AtomicFile file(dir / "out");
  file.write("new");
  file.commit();
  EXPECT_EQ(test::read_text(dir / "out"), "new");
  EXPECT_EQ(dir.list(), Names{"out"});
}

TEST(AtomicFile, WritesLargePiecesAndSmallOnesInOrder) {
  const test::TempDir dir;
  const std::string large(3 << 20, 'x');
  AtomicFile file(dir / "out");
  file.write("a");
  file.write(std::as_bytes(std::span(large)));
  file.write("b");
  EXPECT_EQ(file.size(), static_cast<std::int64_t>(large.size()) + 2);
  file.commit();
  EXPECT_EQ(test::read_text(dir / "out"), "a" + large + "b");
}

TEST(AtomicFile, FullDiskLeavesNothing) {
  const test::TempDir dir;
  // A limit on file size fails the write as a full disk does.
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1 << 20, .rlim_max = old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  test::expect_error([&] { write_file(dir / "out", std::string(4 << 20, 'x')); },
                     {"out: cannot write", "nothing was left"}, ErrorKind::environment);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(dir.list(), Names{});
}

TEST(AtomicFile, SaysWhenThePlaceIsWrong) {
  const test::TempDir dir;
  test::expect_error([&] { write_file(dir / "no" / "out", "x"); }, {"no/out", "cannot create"},
                     ErrorKind::environment);
  test::expect_error([&] { write_file(dir.path(), "x"); }, {"a folder has this name"});
}

TEST(AtomicFile, ItsTemporaryNamesAreTold) {
  EXPECT_EQ(name_of_part("embedding.npy.part-123-0"), "embedding.npy");
  EXPECT_EQ(name_of_part("a.part-1-2.part-34-5"), "a.part-1-2");
  for (const char* other : {"embedding.npy", "a.part-", "a.part-1", "a.part-1-", "a.part--1",
                            "a.part-1-x", "a.part-1-2.gz", "a.part-x-1"}) {
    EXPECT_EQ(name_of_part(other), "") << other;
  }
}

}  // namespace
}  // namespace creg::file_test
