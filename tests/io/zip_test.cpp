#include "io/containers/zip.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/damage.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::zip_test {
namespace {

using test::build_zip;
using test::expect_error;

const std::string sample = [] {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 31) + ",";
  return text;
}();

ZipArchive open(std::string bytes) {
  return ZipArchive(Bytes::from_string(std::move(bytes), "a.zip"));
}

void expect_bad(std::string bytes, std::initializer_list<std::string> parts) {
  expect_error([&] { open(bytes); }, parts);
}

TEST(ZipArchive, ReadsStoredAndDeflatedMembers) {
  const ZipArchive zip =
      open(build_zip({{.name = "plain", .contents = "hello"},
                      {.name = "dir/packed", .contents = sample, .deflate = true},
                      {.name = "empty", .contents = ""},
                      {.name = "dir/", .contents = ""},
                      {.name = "emptily packed", .contents = "", .deflate = true}},
                     {.comment = "a comment"}));
  ASSERT_EQ(zip.members().size(), 5U);
  EXPECT_EQ(zip.members()[1].name, "dir/packed");
  EXPECT_EQ(zip.members()[1].size, static_cast<std::int64_t>(sample.size()));
  EXPECT_EQ(zip.members()[1].method, 8);
  EXPECT_EQ(zip.read("plain").text(), "hello");
  EXPECT_EQ(zip.read("plain").name, "a.zip: member 'plain'");
  EXPECT_EQ(zip.read("dir/packed").text(), sample);
  EXPECT_EQ(zip.read("empty").size(), 0);
  EXPECT_EQ(zip.read("emptily packed").size(), 0);
  EXPECT_EQ(zip.find("dir/packed"), &zip.members()[1]);
  EXPECT_EQ(zip.find("nothing"), nullptr);
}

TEST(ZipArchive, ReadsTheStartOfMembers) {
  const ZipArchive zip = open(build_zip({{.name = "plain", .contents = sample},
                                         {.name = "packed", .contents = sample, .deflate = true}}));
  for (const ZipMember& member : zip.members()) {
    EXPECT_EQ(zip.read_start(member, 100).text(), sample.substr(0, 100));
    EXPECT_EQ(zip.read_start(member, 0).size(), 0);
    EXPECT_EQ(zip.read_start(member, 1 << 30).text(), sample);
  }
}

TEST(ZipArchive, StoredMembersAreNotCopied) {
  const Bytes file = Bytes::from_string(build_zip({{.name = "a", .contents = "hello"}}), "a.zip");
  const Bytes member = ZipArchive(file).read("a");
  EXPECT_GE(member.data.data(), file.data.data());
  EXPECT_LT(member.data.data(), file.data.data() + file.size());
}

TEST(ZipArchive, EmptyArchive) {
  EXPECT_TRUE(open(build_zip({})).members().empty());
  expect_error([] { open(build_zip({})).read("x"); }, {"an empty archive", "'x'"});
}

TEST(ZipArchive, AMissingMemberListsTheOthers) {
  expect_error(
      [] {
        open(build_zip({{.name = "a"}, {.name = "b"}})).read("c");
      },
      {"a.zip: ", "no such member", "'a' and 'b'", "'c'"});
}

TEST(ZipArchive, RefusesWhatIsNoArchive) {
  expect_bad("", {"a.zip", "no directory"});
  expect_bad("PK\x05\x06", {"no directory"});
  expect_bad(std::string(1000, 'x'), {"no directory", "1,000 bytes"});
  const std::string whole = build_zip({{.name = "a", .contents = "hello"}});
  expect_bad(whole.substr(0, whole.size() - 1), {"no directory"});
  expect_bad(whole + "x", {"no directory"});
}

TEST(ZipArchive, RefusesADirectoryThatLies) {
  const std::vector<test::ZipPart> one = {{.name = "a", .contents = "hello"}};
  expect_bad(build_zip(one, {.entries = 2}), {"more members than the directory has room for"});
  expect_bad(build_zip(one, {.entries = 0}), {"more than it counts"});
  expect_bad(build_zip(one, {.offset = 1}), {"not where the archive's end says"});
  expect_bad(build_zip(one, {.offset = 0xfffffff0}), {"not where the archive's end says"});
  expect_bad(build_zip(one, {.disk = 1}), {"several parts"});
}

TEST(ZipArchive, RefusesMembersThatLie) {
  expect_bad(build_zip({{.name = "a", .contents = "hello", .offset = 3}}),
             {"member 'a'", "no member where the directory points"});
  expect_bad(build_zip({{.name = "a", .contents = "hello", .offset = 0xfffffff0}}),
             {"member 'a'", "no member where the directory points"});
  expect_bad(build_zip({{.name = "a", .contents = "hello", .compressed_size = 6}}),
             {"member 'a'", "reaches beyond", "found 6 bytes", "at most 5"});
  expect_bad(build_zip({{.name = "a", .contents = "hello", .local_name = "b"}}),
             {"disagree on its name", "'b'"});
  expect_bad(build_zip({{.name = "a", .contents = "12345"},
                        {.name = "a2", .contents = "12345", .offset = 0}}),
             {"disagree on its name"});
  expect_bad(build_zip({{.name = "a", .contents = "12345"}, {.name = "a", .contents = "12345"}}),
             {"the same name", "'a' twice"});
  expect_bad(build_zip({{.name = "a", .contents = "12345"},
                        {.name = "a", .contents = "12345", .offset = 0}}),
             {"share bytes", "'a'"});
  // The first member claims the second as its own bytes.
  expect_bad(build_zip({{.name = "a", .contents = "12345", .method = 8, .compressed_size = 20},
                        {.name = "b", .contents = "12345"}}),
             {"member 'b'", "share bytes"});
}

TEST(ZipArchive, RefusesNamesThatLeadOutside) {
  const std::vector<std::string> bad = {
      "",      "/etc/x", "../x", "a/../../x", "a\\..\\x",
      "C:\\x", "\\x",    "a/..", "..",        std::string("a\0b", 3)};
  for (const std::string& name : bad) {
    expect_bad(build_zip({{.name = name, .contents = "x"}}), {"lead out of its folder"});
  }
  EXPECT_EQ(open(build_zip({{.name = "a..b/c..", .contents = "x"}})).members().size(), 1U);
}

TEST(ZipArchive, RefusesToReadWhatItCannot) {
  const ZipArchive zip = open(build_zip({
      {.name = "secret", .contents = "hello", .flags = 1},
      {.name = "bzip2", .contents = "hello", .method = 12},
      {.name = "wrong crc", .contents = "hello", .crc = 7},
      {.name = "two sizes", .contents = "hello", .size = 4},
      {.name = "fine", .contents = "hello"},
  }));
  expect_error([&] { zip.read("secret"); }, {"a.zip: member 'secret'", "encrypted"});
  expect_error([&] { zip.read("bzip2"); }, {"'bzip2'", "method 12", "0 (stored) or 8 (deflated)"});
  expect_error([&] { zip.read("wrong crc"); }, {"'wrong crc'", "checksum", "00000007"});
  expect_error([&] { zip.read("two sizes"); }, {"'two sizes'", "found 5", "4 bytes"});
  EXPECT_EQ(zip.read("fine").text(), "hello");
  expect_error([&] { zip.read("fine", 4); }, {"too large", "5 B", "at most 4 B"});
}

TEST(ZipArchive, RefusesDeflatedMembersThatLie) {
  const auto size = static_cast<std::uint32_t>(sample.size());
  const auto packed = static_cast<std::uint32_t>(test::deflate_raw(sample).size());
  const ZipArchive zip = open(build_zip({
      {.name = "short", .contents = sample, .deflate = true, .size = size + 1},
      {.name = "long", .contents = sample, .deflate = true, .size = size - 1},
      {.name = "absurd", .contents = sample, .deflate = true, .size = 0xfffffff0},
      {.name = "cut", .contents = sample, .deflate = true, .compressed_size = packed - 1},
      {.name = "not deflate", .contents = "\xff\xff\xff\xff", .method = 8},
  }));
  expect_error([&] { zip.read("short"); }, {"'short'", "another size"});
  expect_error([&] { zip.read("long"); }, {"'long'", "another size", "found more"});
  expect_error([&] { zip.read("absurd", std::int64_t{1} << 40); },
               {"'absurd'", "cannot hold", "4.0 GiB"});
  expect_error([&] { zip.read("cut"); }, {"'cut'", "end too early"});
  expect_error([&] { zip.read("not deflate"); }, {"damaged compressed data"});
}

TEST(ZipArchive, RefusesBytesAfterTheCompressedData) {
  const std::string packed = test::deflate_raw(sample) + "more";
  const ZipArchive zip = open(build_zip({{.name = "a",
                                          .contents = packed,
                                          .method = 8,
                                          .size = static_cast<std::uint32_t>(sample.size())}}));
  expect_error([&] { zip.read("a"); }, {"end before the member does"});
}

TEST(ZipArchive, ReadsZip64Fields) {
  std::string extra;
  append_little<std::uint16_t>(extra, 0x7777);  // something else comes first
  append_little<std::uint16_t>(extra, 2);
  extra += "xx";
  append_little<std::uint16_t>(extra, 1);
  append_little<std::uint16_t>(extra, 16);
  append_little<std::uint64_t>(extra, 5);
  append_little<std::uint64_t>(extra, 5);
  const auto zip = [](const std::string& field) {
    return build_zip({{.name = "a",
                       .contents = "hello",
                       .size = 0xffffffff,
                       .compressed_size = 0xffffffff,
                       .extra = field}});
  };
  EXPECT_EQ(open(zip(extra)).read("a").text(), "hello");
  expect_bad(zip(""), {"reaches beyond"});
  expect_bad(zip(extra.substr(0, extra.size() - 8)), {"extra field is cut off"});
  std::string cut = extra.substr(0, extra.size() - 8);
  cut[8] = 8;
  expect_bad(zip(cut), {"zip64 field is cut off"});
  std::string absurd = extra;
  absurd.back() = '\xff';
  expect_bad(zip(absurd), {"absurd"});
}

TEST(ZipArchive, SurvivesDamage) {
  const std::string whole = build_zip({{.name = "plain", .contents = "hello"},
                                       {.name = "packed", .contents = sample, .deflate = true}});
  const int refused = test::read_damaged(
      whole,
      [](std::string bytes) {
        const ZipArchive zip = open(std::move(bytes));
        for (const ZipMember& member : zip.members()) zip.read(member);
      },
      1000);
  EXPECT_GT(refused, 950);  // times, attributes and versions are all that is not checked
}

TEST(ZipWriter, WritesWhatTheArchiveReads) {
  const test::TempDir dir;
  for (const bool zip64 : {false, true}) {
    ZipWriter writer(dir / "a.zip", {.always_zip64 = zip64});
    writer.add("plain", "hello");
    writer.add("large", sample);
    writer.add("empty", "");
    const std::array parts = {std::as_bytes(std::span("ab", 2)), std::as_bytes(std::span("c", 1))};
    writer.add("parts", parts);
    EXPECT_FALSE(std::filesystem::exists(dir / "a.zip") && !zip64);
    writer.commit();
    const ZipArchive zip(map_file(dir / "a.zip"));
    ASSERT_EQ(zip.members().size(), 4U);
    EXPECT_EQ(zip.read("plain").text(), "hello");
    EXPECT_EQ(zip.read("large").text(), sample);
    EXPECT_EQ(zip.read("empty").size(), 0);
    EXPECT_EQ(zip.read("parts").text(), "abc");
    for (const char* name : {"plain", "large", "empty", "parts"}) {
      EXPECT_EQ(zip.find(name)->data_offset % 64, 0) << name;
    }
  }
}

TEST(ZipWriter, AnEmptyPartChangesNothing) {
  const test::TempDir dir;
  ZipWriter writer(dir / "a.zip");
  const std::array<std::span<const std::byte>, 3> parts = {
      std::as_bytes(std::span("ab", 2)), {}, std::as_bytes(std::span("c", 1))};
  writer.add("stored", parts);
  writer.commit();
  const ZipArchive zip(map_file(dir / "a.zip"));
  EXPECT_EQ(zip.read("stored").text(), "abc");
}

TEST(ZipWriter, CountsBeyond16Bits) {
  const test::TempDir dir;
  ZipWriter writer(dir / "a.zip");
  constexpr int count = 70000;
  for (int i = 0; i < count; ++i) writer.add(std::to_string(i), "");
  writer.commit();
  const ZipArchive zip(map_file(dir / "a.zip"));
  EXPECT_EQ(zip.members().size(), static_cast<std::size_t>(count));
}

TEST(ZipWriter, LeavesNothingWithoutCommit) {
  const test::TempDir dir;
  { ZipWriter(dir / "a.zip").add("a", "b"); }
  EXPECT_TRUE(dir.list().empty());
}

TEST(ZipWriter, RefusesANameTwice) {
  const test::TempDir dir;
  ZipWriter writer(dir / "a.zip");
  writer.add("a", "b");
  EXPECT_THROW(writer.add("a", "c"), Bug);
}

TEST(IsZip, KnowsTheStart) {
  EXPECT_TRUE(is_zip(Bytes::from_string(build_zip({}), "a")));
  EXPECT_TRUE(is_zip(Bytes::from_string(build_zip({{.name = "a"}}), "a")));
  EXPECT_FALSE(is_zip(Bytes::from_string("PK\x03\x04", "a")));
  EXPECT_FALSE(is_zip(Bytes::from_string(std::string(100, 'x'), "a")));
}

}  // namespace
}  // namespace creg::zip_test
