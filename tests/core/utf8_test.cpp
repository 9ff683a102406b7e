#include "core/utf8.h"

#include <gtest/gtest.h>

namespace creg::utf8_test {
namespace {

TEST(Utf8, EncodesEveryLength) {
  std::string out;
  for (const char32_t c : {U'A', U'\u00e9', U'\u20ac', U'\U0001f600'}) {
    EXPECT_TRUE(append_utf8(out, c));
  }
  EXPECT_EQ(out, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Utf8, RefusesWhatIsNoCodePoint) {
  std::string out;
  EXPECT_FALSE(append_utf8(out, 0xd800));
  EXPECT_FALSE(append_utf8(out, 0xdfff));
  EXPECT_FALSE(append_utf8(out, 0x110000));
  EXPECT_EQ(out, "");
}

TEST(Utf8, DecodesWhatItEncodes) {
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x900 ? 1 : 251) {
    std::string text;
    if (!append_utf8(text, c)) continue;
    EXPECT_EQ(decode_utf8(text), std::u32string(1, c));
  }
}

TEST(Utf8, RefusesWrongBytes) {
  for (const char* wrong : {"\x80", "\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80",
                            "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x82"}) {
    EXPECT_FALSE(decode_utf8(wrong).has_value());
  }
}

TEST(Printable, LeavesTextAndEscapesWhatATerminalWouldObey) {
  const std::string plain = "caf\xc3\xa9\t\xe2\x82\xac\nline two \\ \xf0\x9f\x98\x80";
  EXPECT_EQ(printable(plain), plain);
  EXPECT_EQ(printable("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
  EXPECT_EQ(printable("\r\x7f"), "\\x0d\\x7f");
  // Latin-1, a lone tail, a character cut off, one in too many bytes.
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(as_utf8("caf\xe9\x1b"), "caf\\xe9\\x1b");
  EXPECT_EQ(as_utf8("caf\xc3\xa9\x1b"), "caf\xc3\xa9\x1b");
  EXPECT_EQ(printable("\x80x"), "\\x80x");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  // C1 controls and marks that turn the direction of writing.
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace creg::utf8_test
