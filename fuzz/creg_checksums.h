// The checksums of a .creg file made right: a fuzzer does not guess them, and would never see what
// lies behind them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "io/checksum.h"

namespace creg::fuzz {

template <class T>
T number_at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void put_number(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

inline std::string with_right_checksums(std::string bytes) {
  constexpr std::size_t header = 64;
  constexpr std::size_t entry = 64;
  if (bytes.size() < header) return bytes;
  put_number<std::uint64_t>(bytes, 16, bytes.size());
  const auto whole = std::as_bytes(std::span(bytes));
  const std::size_t room = (bytes.size() - header) / entry;
  const auto sections =
      static_cast<std::uint32_t>(std::min<std::size_t>(number_at<std::uint32_t>(bytes, 12), room));
  put_number(bytes, 12, sections);
  for (std::size_t at = header; at < header + sections * entry; at += entry) {
    const auto offset = number_at<std::uint64_t>(bytes, at + 16);
    const auto size = number_at<std::uint64_t>(bytes, at + 24);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    put_number(bytes, at + 40, crc32c(whole.subspan(offset, size)));
  }
  put_number<std::uint32_t>(bytes, 60, 0);
  put_number(bytes, 60, crc32c(whole.first(header + sections * entry)));
  return bytes;
}

}  // namespace creg::fuzz
