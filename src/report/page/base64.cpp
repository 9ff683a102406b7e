#include "report/page/base64.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace creg::report {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = word << 8U | (j < count ? bytes[i + j] : std::uint8_t{0});
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= count ? letters[word >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return out;
}

std::string base64_of(std::span<const std::int64_t> numbers, int width) {
  const int bits = 8 * width;
  // -1 stands for none in every width.
  const std::int64_t most = (std::int64_t{1} << (width == 4 ? bits - 1 : bits)) - 1;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * static_cast<std::size_t>(width));
  for (const std::int64_t number : numbers) {
    const auto kept = static_cast<std::uint64_t>(std::clamp<std::int64_t>(number, -1, most));
    for (int shift = 0; shift < bits; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(kept >> shift & 255U));
    }
  }
  return base64(bytes);
}

}  // namespace creg::report
