#include "io/settings_file.h"

#include <gtest/gtest.h>

#include "io/formats/read_user_dataset.h"
#include "support/expect_error.h"

namespace creg::settings_file_test {
namespace {

using test::expect_error;

std::vector<Setting> read(const std::string& text) {
  return read_settings(Bytes::from_string(text, "a.toml"));
}

std::string value_of(const std::string& toml) {
  const std::vector<Setting> settings = read("key = " + toml + "\n");
  EXPECT_EQ(settings.size(), 1U) << toml;
  return settings.empty() ? "" : settings.front().value;
}

/// What is written as a value, read again.
std::string round_trip(const std::string& value) {
  return value_of(toml_value(value));
}

TEST(ReadSettings, ScalarsBecomeTheirText) {
  EXPECT_EQ(value_of("7"), "7");
  EXPECT_EQ(value_of("-7"), "-7");
  EXPECT_EQ(value_of("1_000"), "1000");
  EXPECT_EQ(value_of("0x10"), "16");
  EXPECT_EQ(value_of("1e-3"), "0.001");
  EXPECT_EQ(value_of("0.1"), "0.1");
  EXPECT_EQ(value_of("1e-7"), "1e-07");
  EXPECT_EQ(value_of("inf"), "inf");
  EXPECT_EQ(value_of("true"), "true");
  EXPECT_EQ(value_of("false"), "false");
  EXPECT_EQ(value_of("\"a b\""), "a b");
  EXPECT_EQ(value_of("'a\\b'"), "a\\b");
  EXPECT_EQ(value_of("\"\""), "");
  EXPECT_EQ(value_of("\"\"\"\ntwo\nlines\"\"\""), "two\nlines");
}

TEST(ReadSettings, ListsOfStringsAreJoined) {
  EXPECT_EQ(value_of("['contrast', \"l2norm\"]"), "contrast+l2norm");
  EXPECT_EQ(value_of("['one']"), "one");
  EXPECT_EQ(value_of("[]"), "");
  EXPECT_EQ(value_of("['', 'a', '']"), "+a+");
  EXPECT_EQ(value_of("[\n  'a',  # why\n  'b',\n]"), "a+b");
}

TEST(ReadSettings, KeepTheOrderOfTheLines) {
  const std::vector<Setting> settings =
      read("# first\nz = 1\n\na = 2\n\"é b\" = [\n'x',\n]\nm = 3\n");
  ASSERT_EQ(settings.size(), 4U);
  const std::vector<std::string> keys = {"z", "a", "é b", "m"};
  const std::vector<std::int64_t> lines = {2, 4, 5, 8};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(settings[i].key, keys[i]);
    EXPECT_EQ(settings[i].line, lines[i]);
  }
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("# nothing but a comment").empty());
}

TEST(ReadSettings, WrongTypesNameKeyLineAndType) {
  const auto refused = [](const std::string& text, const std::string& line,
                          const std::string& type) {
    expect_error([&] { read(text); }, {"a.toml", line, type, "a number, a string"});
  };
  refused("a = 1\nday = 2020-01-02\n", "line 2", "date");
  refused("day = 2020-01-02T03:04:05Z\n", "line 1", "date-time");
  refused("part = {a = 1}\n", "line 1", "table");
  refused("a = 1\n\n[part]\nb = 2\n", "line 3", "table");
  refused("a.b = 1\n", "line 1", "table");
  refused("a = ['x', 1]\n", "line 1", "array");
  refused("a = [1]\n", "line 1", "array");
  refused("a = [['x']]\n", "line 1", "array");
  expect_error([] { read("rate = {a = 1}\n"); }, {"'rate'"});
}

TEST(ReadSettings, InvalidTomlNamesThePlace) {
  expect_error([] { read("a = 1\nb = = 2\n"); }, {"a.toml", "line 2, character", "not valid TOML"});
  expect_error([] { read("a = 1\na = 2\n"); }, {"a.toml", "line 2", "not valid TOML"});
  expect_error([] { read("a = 'open\n"); }, {"a.toml", "line 1", "not valid TOML"});
  expect_error([] { read("a\n"); }, {"a.toml", "line 1", "not valid TOML"});
  expect_error([] { read("a = 99999999999999999999\n"); }, {"a.toml", "line 1"});
  expect_error([] { read("a = '\xff'\n"); }, {"a.toml", "not UTF-8"});
  expect_error([] { read("a = 'é' é\n"); }, {"a.toml", "line 1", "not valid TOML"});
}

TEST(TomlValue, NumbersAndTruthValuesStayBare) {
  for (const char* bare : {"0", "7", "-7", "300", "0.001", "0.25", "1e-05", "1e+20", "true",
                           "false", "-9223372036854775808", "9223372036854775807"}) {
    EXPECT_EQ(toml_value(bare), bare);
    EXPECT_EQ(round_trip(bare), bare);
  }
}

TEST(TomlValue, TextComesBackAsItWas) {
  const std::vector<std::string> awkward = {
      "",          " ",           "\"",           "\\",
      "\\\"",      "it's",        "a\\nb",        "two\nlines",
      "\r\n",      "\t",          "\x7f",         std::string("\0x", 2),
      "\x01\x1b",  "é",           "日本語",       "\xf0\x9f\x98\x80",
      "100%",      "%41",         "%C3%A9",       "\\u0025",
      "\\\\u0025", "\\U00000025", "# no comment", "[a]",
      "a = b",     "'''",         "\"\"\""};
  for (const std::string& text : awkward) {
    EXPECT_EQ(round_trip(text), text);
    EXPECT_EQ(value_of("[" + toml_string(text) + ", 'x']"), text + "+x");
  }
}

/// Names of datasets and recipes may look like numbers; their text counts.
TEST(TomlValue, TextThatLooksLikeANumberComesBackAsItWas) {
  for (const char* text : {"1e5",
                           "1E5",
                           "007",
                           "+1",
                           "-0",
                           "-0.0",
                           ".5",
                           "5.",
                           "1.",
                           "1.50",
                           "1.0",
                           "0x10",
                           "1_000",
                           "inf",
                           "-inf",
                           "+inf",
                           "nan",
                           "-nan",
                           "True",
                           "TRUE",
                           "infinity",
                           "1e400",
                           "1e-400",
                           "-",
                           ".",
                           "e",
                           "1e",
                           "9223372036854775808",
                           "18446744073709551615",
                           "99999999999999999999",
                           "2020-01-02",
                           "0.1000000000000000055511151231257827",
                           "1e5000"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(TomlString, IsAStringWhateverItLooksLike) {
  EXPECT_EQ(toml_string("2024"), "\"2024\"");
  EXPECT_EQ(toml_string("true"), "\"true\"");
  EXPECT_EQ(toml_string("a\"\\\x1f"), "\"a\\\"\\\\\\u001F\"");
  // Readers that insist on strings take it.
  const Bytes toml =
      Bytes::from_string("edges = 'e'\nname = " + toml_string("2024") + "\n", "a.toml");
  EXPECT_EQ(parse_user_dataset(toml, "").name, "2024");
}

}  // namespace
}  // namespace creg::settings_file_test
