#include "io/files/file_set.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::file_set_test {
namespace {

using Names = std::vector<std::string>;

TEST(FileSet, IsAFolderAZipOrMemory) {
  const test::TempDir dir;
  dir.write("set/top.txt", "top");
  dir.write("set/a/b/low.txt", "low");
  const std::string zip =
      test::build_zip({{.name = "top.txt", .contents = "top"},
                       {.name = "a/", .contents = ""},
                       {.name = "a/b/low.txt", .contents = "low", .deflate = true}});
  dir.write("set.zip", zip);
  for (const FileSet& set :
       {FileSet::open(dir / "set"), FileSet::open(dir / "set.zip"),
        FileSet::memory("m", {{"top.txt", Bytes::from_string("top", "t")},
                              {"a/b/low.txt", Bytes::from_string("low", "l")}})}) {
    EXPECT_EQ(set.files(), (Names{"a/b/low.txt", "top.txt"}));
    EXPECT_EQ(set.read("top.txt").text(), "top");
    EXPECT_EQ(set.read("a/b/low.txt").text(), "low");
    EXPECT_TRUE(set.read_start("a/b/low.txt", 2).text().starts_with("lo"));
    EXPECT_EQ(set.below("a").read_start("b/low.txt", 9).text(), "low");
    EXPECT_FALSE(set.contains("a"));
    const FileSet below = set.below("a");
    EXPECT_EQ(below.files(), Names{"b/low.txt"});
    EXPECT_EQ(below.read("b/low.txt").text(), "low");
    test::expect_error([&] { set.read("tap.txt"); },
                       {set.name(), "a file is missing", "'tap.txt'", "did you mean top.txt"});
    test::expect_error([&] { below.read("top.txt"); }, {"a file is missing"});
  }
}

TEST(FileSet, RefusesOtherFiles) {
  const test::TempDir dir;
  dir.write("text", "no archive");
  test::expect_error([&] { FileSet::open(dir / "text"); }, {"text", "neither a folder nor a zip"});
  test::expect_error([&] { FileSet::open(dir / "none"); }, {"none", "no such file"});
}

}  // namespace
}  // namespace creg::file_set_test
