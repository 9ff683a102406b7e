// Numbers in and out of bytes, whatever the machine's own byte order and the bytes' alignment.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

namespace creg {

/// The value stored at `from` in the given byte order; `from` need not be aligned.
template <class T>
T load_number(const std::byte* from, std::endian order) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (sizeof(T) > 1 && order != std::endian::native) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

template <class T>
T load_little(const std::byte* from) {
  return load_number<T>(from, std::endian::little);
}

template <class T>
void append_little(std::string& to, T value) {
  auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  to.append(raw.data(), raw.size());
}

}  // namespace creg
