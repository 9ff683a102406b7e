#include "core/utf8.h"

#include <fmt/format.h>

namespace creg {
namespace {

constexpr char32_t last_code_point = 0x10ffff;

constexpr bool is_surrogate(char32_t c) {
  return c >= 0xd800 && c <= 0xdfff;
}

struct Decoded {
  char32_t code_point = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// The first character of a text that is not empty.
Decoded decode_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t c = 0;
  char32_t smallest = 0;
  if ((lead & 0xe0U) == 0xc0) {
    length = 2;
    c = lead & 0x1fU;
    smallest = 0x80;
  } else if ((lead & 0xf0U) == 0xe0) {
    length = 3;
    c = lead & 0x0fU;
    smallest = 0x800;
  } else if ((lead & 0xf8U) == 0xf0) {
    length = 4;
    c = lead & 0x07U;
    smallest = 0x10000;
  }
  if (length == 0 || text.size() < length) return {};
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0U) != 0x80) return {};
    c = (c << 6U) | (next & 0x3fU);
  }
  if (c < smallest || c > last_code_point || is_surrogate(c)) return {};
  return {c, length};
}

/// Control characters, and marks that make the text after them run the other way.
constexpr bool moves_what_is_shown(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool turns = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
                     c == 0x200f || c == 0x061c || c == 0x2028 || c == 0x2029;
  return control || turns;
}

}  // namespace

bool append_utf8(std::string& to, char32_t c) {
  const auto tail = [&](unsigned shift) {
    to.push_back(static_cast<char>(0x80U | ((c >> shift) & 0x3fU)));
  };
  if (c > last_code_point || is_surrogate(c)) return false;
  if (c < 0x80) {
    to.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    to.push_back(static_cast<char>(0xc0U | (c >> 6U)));
    tail(0);
  } else if (c < 0x10000) {
    to.push_back(static_cast<char>(0xe0U | (c >> 12U)));
    tail(6);
    tail(0);
  } else {
    to.push_back(static_cast<char>(0xf0U | (c >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

std::optional<std::u32string> decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded one = decode_first(text);
    if (one.bytes == 0) return std::nullopt;
    out.push_back(one.code_point);
    text.remove_prefix(one.bytes);
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded one = decode_first(text);
    if (one.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (!moves_what_is_shown(one.code_point)) {
      out += text.substr(0, one.bytes);
    } else if (one.code_point < 0x80) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(one.code_point));
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(one.code_point));
    }
    text.remove_prefix(one.bytes);
  }
  return out;
}

std::string as_utf8(std::string_view text) {
  return decode_utf8(text) ? std::string(text) : printable(text);
}

}  // namespace creg
