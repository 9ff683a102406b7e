#include "io/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <list>

#include "io/mapped_files.h"
#include "io/unfinished_files.h"
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

TEST(MapFile, TellsWhoseAnAddressIs) {
  const test::TempDir dir;
  const auto path = dir.write("a", "hello");
  const std::byte* address = nullptr;
  {
    const Bytes bytes = map_file(path);
    const Bytes second = map_file(dir.write("b", "there"));
    address = bytes.data.data();
    EXPECT_EQ(std::string(mapped_file_at(address)), path.string());
    EXPECT_EQ(std::string(mapped_file_at(address + 4)), path.string());
    EXPECT_EQ(mapped_file_at(address + 5), nullptr);
    EXPECT_EQ(std::string(mapped_file_at(second.data.data())), (dir / "b").string());
    EXPECT_EQ(mapped_file_at(&address), nullptr);
  }
  EXPECT_EQ(mapped_file_at(address), nullptr);
}

TEST(MapFile, MoreFilesThanTheTableHasRoomForAreStillRead) {
  const test::TempDir dir;
  const auto path = dir.write("a", "hello");
  std::vector<Bytes> many;
  for (int i = 0; i < 1100; ++i) many.push_back(map_file(path));
  EXPECT_EQ(many.back().text(), "hello");
  EXPECT_NE(mapped_file_at(many.front().data.data()), nullptr);
  EXPECT_EQ(mapped_file_at(many.back().data.data()), nullptr);
}

/// What is written straight from a mapped file that has become shorter fails inside the write.
TEST(AtomicFile, NamesTheFileThatTheBytesComeFrom) {
  const test::TempDir dir;
  const auto path = dir.write("in", std::string(2 << 20, 'x'));
  const Bytes bytes = map_file(path);
  std::filesystem::resize_file(path, 0);
  AtomicFile file(dir / "out");
  test::expect_error([&] { file.write(bytes.data); },
                     {path.string() + ": the file became shorter while it was in use"},
                     ErrorKind::environment);
}

TEST(AppendFile, AddsToTheEnd) {
  const test::TempDir dir;
  append_file(dir / "a", "one\n");
  append_file(dir / "a", "two\n");
  EXPECT_EQ(test::read_text(dir / "a"), "one\ntwo\n");
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

/// A limit on file size, of 1 MiB, fails a write as a full disk does.
class FullDisk {
 public:
  FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &old_), 0);
    const rlimit small{.rlim_cur = 1 << 20, .rlim_max = old_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST(AtomicFile, FullDiskLeavesNothing) {
  const test::TempDir dir;
  {
    const FullDisk full;
    test::expect_error([&] { write_file(dir / "out", std::string(4 << 20, 'x')); },
                       {"out: cannot write", "what was there before stays"},
                       ErrorKind::environment);
  }
  EXPECT_EQ(dir.list(), Names{});
}

TEST(AppendFile, FullDiskLeavesNoTornLine) {
  const test::TempDir dir;
  append_file(dir / "log", "one\n");
  {
    const FullDisk full;
    test::expect_error([&] { append_file(dir / "log", std::string(4 << 20, 'x') + "\n"); },
                       {"log: cannot write"}, ErrorKind::environment);
  }
  EXPECT_EQ(test::read_text(dir / "log"), "one\n");
}

TEST(AtomicFile, SaysWhenThePlaceIsWrong) {
  const test::TempDir dir;
  test::expect_error([&] { write_file(dir / "no" / "out", "x"); }, {"no/out", "cannot create"},
                     ErrorKind::environment);
  test::expect_error([&] { write_file(dir.path(), "x"); }, {"a folder has this name"});
}

/// Nobody waits for somebody who writes into a pipe, and no device becomes a file.
TEST(AtomicFile, WhatIsNoRegularFileIsNeitherReadNorReplaced) {
  const test::TempDir dir;
  const std::string pipe = (dir / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  test::expect_error([&] { map_file(pipe); }, {"pipe", "not a regular file"});
  test::expect_error([&] { append_file(pipe, "x"); }, {"pipe", "no regular file"});
  test::expect_error([&] { write_file(pipe, "x"); }, {"pipe", "no regular file"});
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  const std::filesystem::path link = dir / "link";
  std::filesystem::create_symlink("/dev/null", link);
  test::expect_error([&] { write_file(link, "x"); }, {"link", "no regular file"});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(AtomicFile, ALinkToAFileIsReplacedAndItsTargetStays) {
  const test::TempDir dir;
  dir.write("target", "old");
  std::filesystem::create_symlink("target", dir / "link");
  std::filesystem::create_symlink("none", dir / "dangling");
  write_file(dir / "link", "new");
  write_file(dir / "dangling", "new");
  EXPECT_EQ(test::read_text(dir / "target"), "old");
  EXPECT_EQ(test::read_text(dir / "link"), "new");
  EXPECT_EQ(test::read_text(dir / "dangling"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(dir / "link"));
}

TEST(AtomicFile, ANewOneReplacesNothing) {
  const test::TempDir dir;
  AtomicFile first(dir / "out");
  AtomicFile second(dir / "out");
  first.write("first");
  second.write("second");
  first.commit_new();
  test::expect_error([&] { second.commit_new(); }, {"out", "is not replaced"});
  EXPECT_EQ(test::read_text(dir / "out"), "first");
}

TEST(AtomicPair, BothAreNewOrBothAreOld) {
  const test::TempDir dir;
  const auto write = [&](const std::string& text, bool beside, bool commit) {
    AtomicPair pair(dir / "a", dir / "a.names", beside);
    pair.file().write(text);
    if (beside) pair.beside().write(text + " names");
    if (commit) pair.commit();
  };
  write("one", true, true);
  EXPECT_EQ(test::read_text(dir / "a.names"), "one names");
  write("two", true, false);
  EXPECT_EQ(test::read_text(dir / "a"), "one");
  EXPECT_EQ(test::read_text(dir / "a.names"), "one names");
  write("two", true, true);
  EXPECT_EQ(test::read_text(dir / "a"), "two");
  EXPECT_EQ(test::read_text(dir / "a.names"), "two names");
  write("three", false, true);
  EXPECT_EQ(test::read_text(dir / "a"), "three");
  EXPECT_EQ(dir.list(), Names{"a"});
}

/// A file that goes away before it has its name stands for a rename that fails.
TEST(AtomicPair, TheFirstGoesBackWithTheSecond) {
  const test::TempDir dir;
  dir.write("a", "old");
  AtomicPair pair(dir / "a", dir / "a.names", true);
  pair.file().write("new");
  remove_unfinished_files();  // takes the bytes of both away
  test::expect_error([&] { pair.commit(); }, {"a", "cannot rename"}, ErrorKind::environment);
  EXPECT_EQ(test::read_text(dir / "a"), "old");
  AtomicPair second(dir / "a", dir / "a.names", true);
  std::filesystem::remove(dir / ("a.names.part-" + std::to_string(::getpid()) + "-0"));
  test::expect_error([&] { second.commit(); }, {"a.names", "cannot rename"},
                     ErrorKind::environment);
  EXPECT_EQ(test::read_text(dir / "a"), "old");
  AtomicPair fresh(dir / "b", dir / "b.names", true);
  std::filesystem::remove(dir / ("b.names.part-" + std::to_string(::getpid()) + "-0"));
  test::expect_error([&] { fresh.commit(); }, {"b.names", "cannot rename"}, ErrorKind::environment);
  EXPECT_FALSE(is_there(dir / "b"));
}

TEST(AtomicPair, WhatTellsOfNoFileIsSomebodyElses) {
  const test::TempDir dir;
  dir.write("a.names", "mine");
  test::expect_error([&] { AtomicPair(dir / "a", dir / "a.names", false); },
                     {"a.names", "would be replaced", "move it away"});
  EXPECT_EQ(test::read_text(dir / "a.names"), "mine");
}

/// As a signal handler removes them that ends the process: only what is open, and each once.
TEST(AtomicFile, TheUnfinishedAreRemoved) {
  const test::TempDir dir;
  write_file(dir / "done", "x");
  { AtomicFile given_up(dir / "given-up"); }
  // Nobody's: a name that was in the table is in it no more.
  const std::string former =
      dir.write("given-up.part-" + std::to_string(::getpid()) + "-0", "").filename().string();
  AtomicFile one(dir / "one");
  AtomicFile two(dir / "two");
  EXPECT_EQ(dir.list().size(), 4U);
  remove_unfinished_files();
  EXPECT_EQ(dir.list(), (Names{"done", former}));
  test::expect_error([&] { one.commit(); }, {"one", "cannot rename"}, ErrorKind::environment);
  dir.write("two.part-" + std::to_string(::getpid()) + "-0", "");
  remove_unfinished_files();
  EXPECT_EQ(dir.list().size(), 3U);
}

/// Places in the table are used again, and those that find none are written all the same.
TEST(AtomicFile, ManyAtOnceAndAfterEachOther) {
  const test::TempDir dir;
  std::list<AtomicFile> files;
  for (int i = 0; i < 100; ++i) files.emplace_back(dir / ("file-" + std::to_string(i)));
  for (AtomicFile& file : files) file.commit();
  files.clear();
  AtomicFile last(dir / "last");
  EXPECT_EQ(dir.list().size(), 101U);
  remove_unfinished_files();
  EXPECT_EQ(dir.list().size(), 100U);
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
