// Values that users write as text: read, checked against their range, and written back.
#pragma once

#include <array>
#include <charconv>
#include <string>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {

/// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

[[noreturn]] inline void fail_value(const std::string& key, const std::string& found,
                                    const std::string& expected, const std::string& hint = {}) {
  fail_input({.what = "a wrong value",
              .file = key,
              .found = in_quotes(found),
              .expected = expected,
              .hint = hint});
}

template <class Number>
Number parse_number(const std::string& key, const std::string& text, const std::string& range,
                    double low, double high) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool inside = static_cast<double>(value) >= low && static_cast<double>(value) <= high;
  if (error != std::errc() || stop != end || !inside) fail_value(key, text, range);
  return value;
}

}  // namespace creg
