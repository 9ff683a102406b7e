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

}  // namespace
}  // namespace creg::utf8_test
