#include "io/npy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "io/files/byte_order.h"
#include "support/damage.h"
#include "support/expect_error.h"
#include "support/npy_builder.h"
#include "support/temp_dir.h"

namespace creg::npy_test {
namespace {

using test::expect_error;
using test::npy;
using test::npy_text;
using test::raw;
using test::raw_big;

NdArray read(std::string bytes) {
  return read_npy(Bytes::from_string(std::move(bytes), "a.npy"));
}

template <class T>
std::vector<T> list(const Array<T>& array) {
  return {array.begin(), array.end()};
}

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

TEST(Npy, ReadsEveryNumberType) {
  const Floats numbers = {0, 1, 100};
  EXPECT_EQ(list(read(npy("|b1", "(3,)", raw<std::uint8_t>({0, 1, 1}))).to_float()),
            (Floats{0, 1, 1}));
  EXPECT_EQ(list(read(npy("|i1", "(3,)", raw<std::int8_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("|u1", "(3,)", raw<std::uint8_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<i2", "(3,)", raw<std::int16_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<u2", "(3,)", raw<std::uint16_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<u4", "(3,)", raw<std::uint32_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<i8", "(3,)", raw<std::int64_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<u8", "(3,)", raw<std::uint64_t>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<f4", "(3,)", raw<float>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("<f8", "(3,)", raw<double>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy("=f8", "(3,)", raw<double>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy(">f8", "(3,)", raw_big<double>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy(">f4", "(3,)", raw_big<float>({0, 1, 100}))).to_float()), numbers);
  EXPECT_EQ(list(read(npy(">i8", "(3,)", raw_big<std::int64_t>({0, 1, 100}))).to_int32()),
            (Ints{0, 1, 100}));
  EXPECT_EQ(list(read(npy(">u2", "(3,)", raw_big<std::uint16_t>({0, 1, 40000}))).to_int64()),
            (Longs{0, 1, 40000}));
}

TEST(Npy, ReadsHalfPrecision) {
  // 1, -2, the largest, the smallest normal, the smallest, infinity, minus zero
  const std::vector<std::uint16_t> bits = {0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x7c00, 0x8000};
  const Floats values = list(read(npy("<f2", "(7,)", raw(bits))).to_float());
  EXPECT_EQ(values, (Floats{1, -2, 65504, 0x1p-14F, 0x1p-24F,
                            std::numeric_limits<float>::infinity(), -0.0F}));
  EXPECT_TRUE(std::signbit(values[6]));
  EXPECT_TRUE(std::isnan(read(npy("<f2", "(1,)", raw<std::uint16_t>({0x7e01}))).to_float()[0]));
}

TEST(Npy, ReadsEveryVersionOfTheFormat) {
  const std::string data = raw<float>({1, 2});
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(list(read(npy("<f4", "(2,)", data, false, version)).to_float()), (Floats{1, 2}));
  }
  expect_error([&] { read(npy("<f4", "(2,)", data, false, 4)); },
               {"a.npy", "unknown version", "4.0", "1.0, 2.0 or 3.0"});
}

TEST(Npy, ReadsAllShapes) {
  const NdArray single = read(npy("<f4", "()", raw<float>({7})));
  EXPECT_EQ(single.dimensions(), 0U);
  EXPECT_EQ(single.size(), 1);
  EXPECT_EQ(single.to_float()[0], 7);
  EXPECT_EQ(read(npy("<f4", "(0,)", "")).size(), 0);
  EXPECT_EQ(read(npy("<f4", "(0, 5)", "")).to_matrix().cols, 5);
  EXPECT_EQ(read(npy("<f4", "(2L, 1L, 2L)", raw<float>({1, 2, 3, 4}))).shape(), (Longs{2, 1, 2}));
  EXPECT_EQ(read(npy("<f4", "(3,)", raw<float>({1, 2, 3}))).to_matrix().cols, 1);
  expect_error([] { read(npy("<f4", "(1, 1, 1)", raw<float>({1}))).to_matrix(); },
               {"number of dimensions", "1 x 1 x 1", "2 dimensions"});
  expect_error([] { read(npy("<f4", "()", raw<float>({1}))).to_matrix(); }, {"a single value"});
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  // Against the definition: element (i, j, k) of a Fortran array is at i + n0 (j + n1 k).
  constexpr int n0 = 2;
  constexpr int n1 = 3;
  constexpr int n2 = 4;
  std::vector<std::int32_t> stored(n0 * n1 * n2);
  for (std::size_t at = 0; at < stored.size(); ++at) stored[at] = static_cast<std::int32_t>(at);
  const Array<std::int32_t> c = read(npy("<i4", "(2, 3, 4)", raw(stored), true)).to_int32();
  for (int i = 0; i < n0; ++i) {
    for (int j = 0; j < n1; ++j) {
      for (int k = 0; k < n2; ++k) EXPECT_EQ(c[(i * n1 + j) * n2 + k], i + n0 * (j + n1 * k));
    }
  }
  EXPECT_EQ(read(npy("|S1", "(2, 2)", "abcd", true)).to_strings(), (Strings{"a", "c", "b", "d"}));
  EXPECT_EQ(read(npy("<f4", "(0, 3)", "", true)).size(), 0);
}

TEST(Npy, ViewsAlignedBytesAndCopiesOthers) {
  const std::string file = npy("<f4", "(1, 2)", raw<float>({1, 2}), true);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const Bytes whole = Bytes::from_string(std::string(shift, 'x') + file, "a.npy");
    const Bytes bytes = whole.slice(static_cast<std::int64_t>(shift),
                                    static_cast<std::int64_t>(file.size()), "a.npy");
    const Array<float> values = read_npy(bytes).to_float();
    const auto* stored = bytes.data.data() + file.size() - 8;
    const bool aligned = reinterpret_cast<std::uintptr_t>(stored) % alignof(float) == 0;
    EXPECT_EQ(static_cast<const void*>(values.data()) == stored, aligned) << shift;
    EXPECT_EQ(list(values), (Floats{1, 2}));
  }
}

TEST(Npy, AViewKeepsTheFileAlive) {
  Array<std::int64_t> values;
  {
    const test::TempDir dir;
    values = read_npy(map_file(dir.write("a.npy", npy("<i8", "(2,)", raw<std::int64_t>({5, 6})))))
                 .to_int64();
  }
  EXPECT_EQ(list(values), (Longs{5, 6}));
}

TEST(Npy, ReadsStrings) {
  std::string wide;
  for (const char32_t c : {U'a', U'\u00e9', U'\0', U'\U0001f600', U'\0', U'\0'}) {
    append_little(wide, static_cast<std::uint32_t>(c));
  }
  EXPECT_EQ(read(npy("<U3", "(2,)", wide)).to_strings(),
            (Strings{"a\xc3\xa9", "\xf0\x9f\x98\x80"}));
  EXPECT_EQ(read(npy(">U1", "(1,)", std::string("\0\0\0z", 4))).to_strings(), (Strings{"z"}));
  EXPECT_EQ(read(npy("|S3", "(2,)", std::string("ab\0\0\0\0", 6))).to_strings(),
            (Strings{"ab", ""}));
  EXPECT_EQ(read(npy("<i2", "(2,)", raw<std::int16_t>({-5, 7}))).to_strings(),
            (Strings{"-5", "7"}));
  EXPECT_EQ(read(npy("<U0", "(0,)", "")).to_strings(), Strings{});
  expect_error([] { read(npy("<f4", "(1,)", raw<float>({1}))).to_strings(); },
               {"float32", "strings or whole numbers"});
  expect_error([] { read(npy("<U1", "(1,)", raw<std::uint32_t>({0xd800}))).to_strings(); },
               {"element 0", "Unicode"});
  expect_error([] { read(npy("|S1", "(2,)", "a\xff")).to_strings(); }, {"element 1", "\\xff"});
  expect_error([] { read(npy("<U0", "(3,)", "")); }, {"no characters"});
}

TEST(Npy, RefusesValuesThatDoNotFit) {
  const std::string wide = raw<std::int64_t>({1, std::int64_t{1} << 31});
  expect_error([&] { read(npy("<i8", "(2,)", wide)).to_int32(); },
               {"a.npy: element 1", "2147483648", "2147483647"});
  EXPECT_EQ(list(read(npy("<i8", "(2,)", wide)).to_int64()), (Longs{1, std::int64_t{1} << 31}));
  expect_error([] { read(npy("<u8", "(1,)", raw<std::uint64_t>({~0ULL}))).to_int64(); },
               {"18446744073709551615"});
  expect_error([] { read(npy("<f8", "(1,)", raw<double>({1e39}))).to_float(); },
               {"1e+39", "float32"});
  EXPECT_TRUE(std::isinf(read(npy("<f8", "(1,)", raw<double>({INFINITY}))).to_float()[0]));
  EXPECT_EQ(read(npy("<f8", "(1,)", raw<double>({-3}))).to_int32()[0], -3);
  for (const double value : {0.5, double{NAN}, 2147483648.0, -2147483649.0, double{INFINITY}}) {
    expect_error([&] { read(npy("<f8", "(1,)", raw<double>({value}))).to_int32(); },
                 {"does not fit"});
  }
  EXPECT_EQ(read(npy("<f8", "(1,)", raw<double>({-0x1p63}))).to_int64()[0],
            std::numeric_limits<std::int64_t>::min());
  expect_error([] { read(npy("<f8", "(1,)", raw<double>({0x1p63}))).to_int64(); },
               {"does not fit"});
  expect_error([] { read(npy("|S1", "(1,)", "a")).to_float(); }, {"wrong type", "S1"});
}

TEST(Npy, KnowsWhetherAllAreOne) {
  EXPECT_TRUE(read(npy("<f8", "(2,)", raw<double>({1, 1}))).all_ones());
  EXPECT_FALSE(read(npy("<f8", "(2,)", raw<double>({1, 1.5}))).all_ones());
  EXPECT_TRUE(read(npy("|b1", "(2,)", raw<std::uint8_t>({1, 2}))).all_ones());
}

TEST(Npy, KnowsObjectArraysWithoutReadingThem) {
  const NdArray objects = read(npy("|O", "(3,)", "any pickle at all"));
  EXPECT_TRUE(objects.is_object());
  expect_error([&] { objects.to_float(); }, {"a.npy", "pickled Python objects", "numbers"});
  expect_error([&] { objects.to_strings(); }, {"a.npy", "pickled Python objects"});
  // No bytes stand behind their shape: nothing is taken by it.
  const NdArray many = read(npy("|O", "(2, 999999, 9999)", "any pickle at all"));
  expect_error([&] { many.to_strings(); }, {"a.npy", "pickled Python objects"});
  expect_error([&] { many.to_float(); }, {"a.npy", "pickled Python objects"});
  expect_error([&] { many.to_int32(); }, {"a.npy", "pickled Python objects"});
  expect_error([&] { many.to_int64(); }, {"a.npy", "pickled Python objects"});
}

TEST(Npy, RefusesTypesItDoesNotKnow) {
  for (const char* descr : {"<c8", "<f16", "<M8[ns]", "|V4", "<i3", "<f1", "f", "", "<", "<i-4",
                            "<U99999999999", "<i4x", "|b2"}) {
    expect_error([&] { read(npy(descr, "(1,)", "12345678")); },
                 {"a.npy", "type that is not supported", "f2 f4 f8"});
  }
  expect_error(
      [] { read(npy_text("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}")); },
      {"an array of records"});
}

TEST(Npy, LengthMustMatchTheShape) {
  const std::string two = raw<float>({1, 2});
  expect_error([&] { read(npy("<f4", "(3,)", two)); },
               {"does not match its shape", "8 bytes", "12 (3 of float32)"});
  expect_error([&] { read(npy("<f4", "(1,)", two)); }, {"does not match its shape"});
  expect_error([&] { read(npy("<f4", "(4611686018427387904,)", two)); }, {"shape is absurd"});
  expect_error([&] { read(npy("<f4", "(2147483648, 2147483648, 4)", two)); }, {"shape is absurd"});
  expect_error([&] { read(npy("<f4", "(0, 4611686018427387904)", "")); }, {"shape is absurd"});
  expect_error([&] { read(npy("|i1", "(4611686018427387904, 0)", "")).to_matrix(); },
               {"too large"});
  expect_error([&] { read(npy("<f4", "(99999999999999999999,)", two)); }, {"damaged shape"});
  expect_error([&] { read(npy("<f4", "(-1,)", two)); }, {"damaged shape"});
}

TEST(Npy, RefusesDamagedHeaders) {
  const auto refuse = [](const std::string& dict, std::initializer_list<std::string> parts) {
    expect_error([&] { read(npy_text(dict)); }, parts);
  };
  refuse("", {"byte 10", "the header's end", "'{'"});
  refuse("{'descr': '<f4', 'shape': (1,)}", {"lacks a key"});
  refuse("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", {"repeated"});
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", {"unknown"});
  refuse("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", {"True or False", "'Maybe"});
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", {"something follows"});
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (1;)}", {"',' or ')'"});
  refuse("{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", {"',' or '}'"});
  refuse("{'descr': '<f4, 'shape'", {"a.npy"});
  refuse("{'descr': '<\\x664', 'fortran_order': False, 'shape': (1,)}", {"escaped"});
  refuse("{'descr", {"without an end"});
  std::string many = "(";
  for (int i = 0; i < 40; ++i) many += "1, ";
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': " + many + ")}", {"too many dim"});
  expect_error([] { read(""); }, {"not an .npy array"});
  expect_error([] { read("\x93NUMPY\x01"); }, {"ends inside its header"});
  expect_error([] { read(std::string("\x93NUMPY\x01\0\x01", 9)); }, {"ends inside its header"});
  expect_error([] { read(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13)); },
               {"ends inside its header", "4,294,967,307"});
}

TEST(Npy, SurvivesDamage) {
  const std::string whole = npy("<i8", "(4, 3)", raw(Longs{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  const int refused = test::read_damaged(
      whole,
      [](std::string bytes) {
        const NdArray array = read(std::move(bytes));
        array.to_int64();
        array.to_float();
      },
      1000);
  EXPECT_GT(refused, 16);
}

TEST(WriteNpy, IsReadAgain) {
  const test::TempDir dir;
  write_npy(dir / "m.npy", DenseMatrix{.rows = 2, .cols = 3, .values = Floats{1, 2, 3, 4, 5, 6}});
  const Bytes file = map_file(dir / "m.npy");
  EXPECT_EQ((file.size() - 24) % 64, 0);
  EXPECT_EQ(test::read_text(dir / "m.npy").substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  const DenseMatrix m = read_npy(file).to_matrix();
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.cols, 3);
  EXPECT_EQ(list(m.values), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(static_cast<const void*>(m.values.data()), file.data.data() + file.size() - 24);

  write_npy(dir / "i.npy", Ints{1, -2});
  EXPECT_EQ(list(read_npy(map_file(dir / "i.npy")).to_int32()), (Ints{1, -2}));
  EXPECT_EQ(read_npy(map_file(dir / "i.npy")).type().text(), "int32");
  write_npy(dir / "l.npy", Ints{});
  EXPECT_EQ(read_npy(map_file(dir / "l.npy")).shape(), Longs{0});
}

TEST(IsNpy, KnowsTheStart) {
  EXPECT_TRUE(is_npy(Bytes::from_string(npy("<f4", "(0,)", ""), "a")));
  EXPECT_FALSE(is_npy(Bytes::from_string("\x93NUMP", "a")));
}

}  // namespace
}  // namespace creg::npy_test
