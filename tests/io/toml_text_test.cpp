#include "io/text/toml_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/formats/read_user_dataset.h"
#include "support/expect_error.h"

namespace creg::toml_text_test {
namespace {

std::string coded(const std::string& text) {
  return to_ascii_toml(Bytes::from_string(text, "a.toml"));
}

TEST(TomlText, IsAsciiAndComesBackAsItWas) {
  EXPECT_EQ(coded("a = 'é' # 5%\n"), "a = '%C3%A9' # 5%25\n");
  for (const char* text : {"", "plain\n", "é", "100%", "%C3%A9", "a%", "%4", "日本 = \"語\"\n"}) {
    const std::string ascii = coded(text);
    EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c > 0; })) << text;
    EXPECT_EQ(from_ascii_toml(ascii), text);
  }
  EXPECT_EQ(coded("\xef\xbb\xbf"
                  "a = 1"),
            "a = 1");
}

TEST(TomlText, MessagesKeepStrayPercentSigns) {
  EXPECT_EQ(from_ascii_toml("saw '%'"), "saw '%'");
  EXPECT_EQ(from_ascii_toml("%zz"), "%zz");
}

TEST(TomlText, RefusesWhatItCannotKeepApart) {
  test::expect_error([] { coded("a = 1\nb = \"\\u0025C3\""); },
                     {"a.toml: line 2", "\\u0025", "the sign itself"});
  test::expect_error([] { coded("a = '\xff'"); }, {"a.toml", "not UTF-8"});
}

TEST(TomlText, AnEscapedBackslashBeforeTheLettersIsNoEscape) {
  EXPECT_EQ(coded("\\\\u0025"), "\\\\u0025");
  EXPECT_EQ(coded("'\\\\U00000025'"), "'\\\\U00000025'");
  test::expect_error([] { coded("\\\\\\u0025"); }, {"line 1", "\\u0025"});
  test::expect_error([] { coded("\\\\u0025\n\\u0025"); }, {"line 2", "\\u0025"});
}

TEST(TomlText, CharactersOutsideAsciiNeverReachTheParser) {
  const auto parse = [](const std::string& text) {
    return parse_user_dataset(Bytes::from_string(text, "a.toml"), "");
  };
  EXPECT_EQ(parse("edges = 'é 5%.csv'").edges, "é 5%.csv");
  EXPECT_EQ(parse("edges = \"x\"\nname = \"\\u00e9é\"").name, "éé");
  test::expect_error([&] { parse("édges = 'x'"); }, {"a.toml: line 1", "not valid TOML"});
  test::expect_error([&] { parse("\"édges\" = 'x'"); }, {"unknown key", "dges'"});
  // Found by fuzzing: after a sign toml++ looks for white space, quotes notwithstanding.
  test::expect_error([&] { parse("edges=-'\xca\xbe'"); }, {"a.toml: line 1", "not valid TOML"});
}

}  // namespace
}  // namespace creg::toml_text_test
