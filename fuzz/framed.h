// Several files in one fuzz input: each is framed as a length (two bytes, little-endian) and so
// many bytes; the last may be cut off.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace creg::fuzz {

/// At most `count` files; missing ones are empty.
inline std::vector<std::string> unframe(std::string_view input, std::size_t count) {
  std::vector<std::string> files(count);
  for (std::string& file : files) {
    if (input.size() < 2) break;
    const std::size_t size = static_cast<unsigned char>(input[0]) |
                             static_cast<std::size_t>(static_cast<unsigned char>(input[1])) << 8;
    input.remove_prefix(2);
    file = input.substr(0, size);
    input.remove_prefix(std::min(size, input.size()));
  }
  return files;
}

}  // namespace creg::fuzz
