// Reads event files as TensorBoard does, bit by bit: a reference that shares nothing with the
// writer.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace creg::test {

struct ReadEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  std::map<std::string, float> scalars;
};

inline std::uint32_t slow_crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

inline std::uint32_t slow_masked_crc(const std::string& bytes) {
  const std::uint32_t crc = slow_crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

/// A field of a message of protocol buffers.
struct ReadField {
  std::uint64_t number = 0;
  std::uint64_t whole = 0;  ///< or the bits of a number
  std::string bytes;
};

inline std::uint64_t read_little(const std::string& from, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) {
    value = value << 8U | static_cast<unsigned char>(from.at(at + static_cast<std::size_t>(i)));
  }
  return value;
}

inline std::vector<ReadField> read_message(const std::string& bytes) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= static_cast<std::uint64_t>(byte & 127U) << shift;
      if (byte < 128) return value;
    }
  };
  std::vector<ReadField> fields;
  while (at < bytes.size()) {
    const std::uint64_t key = varint();
    ReadField field{.number = key >> 3U};
    if ((key & 7U) == 0) field.whole = varint();
    if ((key & 7U) == 1) field.whole = read_little(bytes, at, 8), at += 8;
    if ((key & 7U) == 5) field.whole = read_little(bytes, at, 4), at += 4;
    if ((key & 7U) == 2) {
      const std::uint64_t size = varint();
      field.bytes = bytes.substr(at, size);
      EXPECT_EQ(field.bytes.size(), size);
      at += size;
    }
    fields.push_back(field);
  }
  return fields;
}

inline ReadEvent read_event(const std::string& record) {
  ReadEvent event;
  for (const ReadField& field : read_message(record)) {
    if (field.number == 1) event.wall_time = std::bit_cast<double>(field.whole);
    if (field.number == 2) event.step = static_cast<std::int64_t>(field.whole);
    if (field.number == 3) event.version = field.bytes;
    if (field.number != 5) continue;
    for (const ReadField& value : read_message(field.bytes)) {
      EXPECT_EQ(value.number, 1U);
      std::string name;
      for (const ReadField& part : read_message(value.bytes)) {
        if (part.number == 1) name = part.bytes;
        if (part.number == 2) {
          event.scalars[name] = std::bit_cast<float>(static_cast<std::uint32_t>(part.whole));
        }
      }
    }
  }
  return event;
}

/// All of them, with every checksum checked.
inline std::vector<ReadEvent> read_events(const std::string& file) {
  std::vector<ReadEvent> events;
  for (std::size_t at = 0; at < file.size();) {
    const std::uint64_t size = read_little(file, at, 8);
    EXPECT_EQ(read_little(file, at + 8, 4), slow_masked_crc(file.substr(at, 8)));
    const std::string record = file.substr(at + 12, size);
    EXPECT_EQ(record.size(), size);
    EXPECT_EQ(read_little(file, at + 12 + size, 4), slow_masked_crc(record));
    events.push_back(read_event(record));
    at += size + 16;
  }
  return events;
}

}  // namespace creg::test
