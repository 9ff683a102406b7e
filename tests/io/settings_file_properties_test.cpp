#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/settings_file.h"

namespace creg::settings_file_properties_test {
namespace {

/// UTF-8 of a character.
std::string encoded(char32_t c) {
  const auto byte = [](char32_t value) { return std::string(1, static_cast<char>(value)); };
  const auto tail = [&](int shift, char32_t value) {
    return byte(0x80 | ((value >> shift) & 0x3F));
  };
  if (c < 0x80) return byte(c);
  if (c < 0x800) return byte(0xC0 | (c >> 6)) + tail(0, c);
  if (c < 0x10000) return byte(0xE0 | (c >> 12)) + tail(6, c) + tail(0, c);
  return byte(0xF0 | (c >> 18)) + tail(12, c) + tail(6, c) + tail(0, c);
}

/// Any text: mostly of what means something to TOML or to a number, with characters of all lengths.
std::string arbitrary_text() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
      rc::gen::map(rc::gen::elementOf(std::string("\"'\\%#=[]{}.+-eE_019ufn \n\r\t")),
                   [](char c) { return std::string(1, c); }),
      rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 0xD800), encoded),
      rc::gen::map(rc::gen::inRange<std::uint32_t>(0xE000, 0x110000), encoded),
      rc::gen::element<std::string>("\\u0025", "%41", "true", "inf", "nan", "1e5", "0x")));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

std::vector<Setting> read(const std::string& text) {
  return read_settings(Bytes::from_string(text, "a.toml"));
}

RC_GTEST_PROP(SettingsFileProperties, AnyTextComesBackAsItWas, ()) {
  const auto values = *rc::gen::container<std::vector<std::string>>(rc::gen::exec(arbitrary_text));
  std::string toml;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Names in falling order, so that an order of lines is told from one of names.
    toml += "k" + std::to_string(100000 - i) + " = " + toml_value(values[i]) + "\n";
  }
  const std::vector<Setting> settings = read(toml);
  RC_ASSERT(settings.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(settings[i].value == values[i]);
    RC_ASSERT(settings[i].line == static_cast<std::int64_t>(i) + 1);
  }
}

RC_GTEST_PROP(SettingsFileProperties, AnyKeyComesBackAsItWas, ()) {
  const std::string key = *rc::gen::exec(arbitrary_text);
  const std::vector<Setting> settings = read(toml_string(key) + " = 1\n");
  RC_ASSERT(settings.size() == 1U);
  RC_ASSERT(settings.front().key == key);
}

RC_GTEST_PROP(SettingsFileProperties, AnyNumberComesBackWithAllItsDigits, ()) {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  RC_PRE(std::isfinite(number));
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string text(digits.data(), end);
  const std::string value = read("a = " + toml_value(text) + "\n").front().value;
  RC_ASSERT(value == text);
  // Bare, as a person would write it, the number is the same if not its text.
  const std::string bare = read("a = " + text + "\n").front().value;
  double again = 0;
  std::from_chars(bare.data(), bare.data() + bare.size(), again);
  RC_ASSERT(again == number);
}

}  // namespace
}  // namespace creg::settings_file_properties_test
