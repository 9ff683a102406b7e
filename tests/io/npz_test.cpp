#include "io/containers/npz.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/npy_builder.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::npz_test {
namespace {

using test::build_zip;
using test::expect_error;
using test::npy;
using test::raw;

NpzFile sample() {
  return NpzFile(Bytes::from_string(
      build_zip({{.name = "x.npy", .contents = npy("<f4", "(2,)", raw<float>({1, 2}))},
                 {.name = "packed.npy",
                  .contents = npy("<i8", "(1,)", raw<std::int64_t>({3})),
                  .deflate = true},
                 {.name = "names.npy", .contents = npy("|O", "(2,)", "pickle")},
                 {.name = "notes.txt", .contents = "not an array"},
                 {.name = "fake.npy", .contents = "not an array"}}),
      "a.npz"));
}

TEST(Npz, ListsAndReadsArrays) {
  const NpzFile file = sample();
  EXPECT_EQ(file.keys(), (std::vector<std::string>{"x", "packed", "names", "fake"}));
  EXPECT_TRUE(file.contains("x"));
  EXPECT_FALSE(file.contains("notes"));
  EXPECT_FALSE(file.contains("x.npy"));
  EXPECT_EQ(file.read("x").to_float()[1], 2);
  EXPECT_EQ(file.read("packed").to_int64()[0], 3);
}

TEST(Npz, TellsShapesByHeadersAlone) {
  const NpzFile file = sample();
  EXPECT_EQ(file.shape("x"), std::vector<std::int64_t>{2});
  EXPECT_EQ(file.shape("packed"), std::vector<std::int64_t>{1});
  // The bytes behind the header need not be right.
  std::string bytes = build_zip(
      {{.name = "x.npy", .contents = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 9.75F}))}});
  bytes[bytes.find(raw<float>({9.75F}))] ^= 1;
  const NpzFile wrong(Bytes::from_string(bytes, "a.npz"));
  EXPECT_EQ(wrong.shape("x"), (std::vector<std::int64_t>{2, 3}));
  expect_error([&] { wrong.read("x"); }, {"checksum is wrong"});
  expect_error([&] { file.shape("y"); }, {"no array of this name", "'y'"});
  expect_error([&] { file.shape("fake"); }, {"a.npz: member 'fake.npy'", "not an .npy array"});
}

TEST(Npz, SkipsObjectsAndWhatIsMissing) {
  const NpzFile file = sample();
  EXPECT_TRUE(file.read_if_plain("x").has_value());
  EXPECT_FALSE(file.read_if_plain("names").has_value());
  EXPECT_FALSE(file.read_if_plain("other").has_value());
  expect_error([&] { file.read("names").to_strings(); },
               {"a.npz: member 'names.npy'", "pickled Python objects"});
}

TEST(Npz, AMissingKeyListsTheOthers) {
  expect_error([] { sample().read("y"); },
               {"a.npz", "no array of this name", "'x', 'packed', 'names' and 'fake'", "'y'"});
  expect_error([] { NpzFile(Bytes::from_string(build_zip({}), "a.npz")).read("y"); },
               {"no arrays"});
}

TEST(Npz, NamesTheMemberThatIsWrong) {
  expect_error([] { sample().read("fake"); }, {"a.npz: member 'fake.npy'", "not an .npy array"});
}

TEST(NpzWriter, WritesWhatIsReadAgain) {
  const test::TempDir dir;
  NpzWriter writer(dir / "a.npz");
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const std::array<std::int64_t, 2> shape = {2, 3};
  writer.add<float>("m", floats, shape);
  const std::vector<std::int32_t> ints = {-1};
  writer.add<std::int32_t>("i", ints);
  const std::vector<std::string> names = {"a", "", "\xc3\xa9t\xc3\xa9"};
  writer.add_strings("names", names);
  writer.add_strings("none", {});
  writer.commit();
  const NpzFile file(map_file(dir / "a.npz"));
  EXPECT_EQ(file.read("m").to_matrix().row(1)[2], 6);
  EXPECT_EQ(file.read("i").to_int32()[0], -1);
  EXPECT_EQ(file.read("names").to_strings(), names);
  EXPECT_EQ(file.read("none").size(), 0);
}

TEST(NpzWriter, StoredArraysAreMapped) {
  const test::TempDir dir;
  NpzWriter writer(dir / "a.npz");
  const std::vector<std::int32_t> odd = {1};
  const std::vector<float> floats = {1, 2};
  writer.add<std::int32_t>("odd", odd);
  writer.add<float>("f", floats);
  writer.commit();
  const Bytes file = map_file(dir / "a.npz");
  const Array<float> values = NpzFile(file).read("f").to_float();
  const auto* at = reinterpret_cast<const std::byte*>(values.data());
  EXPECT_TRUE(at > file.data.data() && at < file.data.data() + file.size());
}

TEST(NpzWriter, RefusesBadStrings) {
  const test::TempDir dir;
  NpzWriter writer(dir / "a.npz");
  const std::vector<std::string> bad = {"ok", "\xff"};
  expect_error([&] { writer.add_strings("names", bad); }, {"a.npz", "'names'", "not valid UTF-8"});
}

}  // namespace
}  // namespace creg::npz_test
