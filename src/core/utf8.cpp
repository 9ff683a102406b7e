#include "core/utf8.h"

namespace creg {
namespace {

constexpr char32_t last_code_point = 0x10ffff;

constexpr bool is_surrogate(char32_t c) {
  return c >= 0xd800 && c <= 0xdfff;
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
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = 0;
    char32_t c = 0;
    char32_t smallest = 0;
    if (lead < 0x80) {
      length = 1;
      c = lead;
    } else if ((lead & 0xe0U) == 0xc0) {
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
    } else {
      return std::nullopt;
    }
    if (text.size() - i < length) return std::nullopt;
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80) return std::nullopt;
      c = (c << 6U) | (next & 0x3fU);
    }
    if (c < smallest || c > last_code_point || is_surrogate(c)) return std::nullopt;
    out.push_back(c);
    i += length;
  }
  return out;
}

}  // namespace creg
