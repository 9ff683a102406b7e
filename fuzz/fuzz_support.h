// What every fuzz target shares: an error is a fine answer, a crash or another exception is not.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/files/byte_order.h"

namespace creg::fuzz {

/// Runs `read` on the input; a creg::Error is how a reader refuses bad bytes.
template <class Read>
int try_read(const std::uint8_t* data, std::size_t size, Read read) {
  try {
    read(Bytes::from_string(std::string(reinterpret_cast<const char*>(data), size), "input"));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

/// Several files out of one input: each is a 32-bit length and its bytes, cut where the input
/// ends. Missing ones are empty.
inline std::vector<std::string> split_frames(std::string_view input, std::size_t count) {
  std::vector<std::string> frames(count);
  for (std::string& frame : frames) {
    if (input.size() < sizeof(std::uint32_t)) break;
    const auto size = load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(input.data()));
    input.remove_prefix(sizeof(std::uint32_t));
    frame = input.substr(0, size);
    input.remove_prefix(frame.size());
  }
  return frames;
}

/// A member of an archive.
struct Packed {
  std::string name;
  std::string contents;
};

/// A zip of the given members, with right checksums: a fuzzer does not guess those, and would never
/// see what lies behind them.
inline std::string pack_zip(std::span<const Packed> members) {
  std::string out;
  std::string directory;
  for (const Packed& member : members) {
    const auto offset = static_cast<std::uint32_t>(out.size());
    const auto size = static_cast<std::uint32_t>(member.contents.size());
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(member.contents.data()), size));
    const auto add_fields = [&](std::string& to) {
      to.append(std::string_view("\x14\0\0\0\0\0\0\0\0\0", 10));  // version, flags, stored, time
      append_little(to, crc);
      append_little(to, size);
      append_little(to, size);
      append_little(to, static_cast<std::uint16_t>(member.name.size()));
      append_little(to, std::uint16_t{0});
    };
    out += "PK\x03\x04";
    add_fields(out);
    out += member.name + member.contents;
    directory += "PK\x01\x02";
    append_little(directory, std::uint16_t{20});
    add_fields(directory);
    directory.append(10, '\0');
    append_little(directory, offset);
    directory += member.name;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  const auto start = static_cast<std::uint32_t>(out.size());
  out += directory + "PK\x05\x06";
  append_little(out, std::uint32_t{0});
  append_little(out, count);
  append_little(out, count);
  append_little(out, static_cast<std::uint32_t>(directory.size()));
  append_little(out, start);
  append_little(out, std::uint16_t{0});
  return out;
}

/// An .npz of the given arrays. An empty one is left out.
inline std::string pack_npz(std::span<const std::string_view> keys,
                            std::span<const std::string> contents) {
  std::vector<Packed> members;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!contents[i].empty()) members.push_back({std::string(keys[i]) + ".npy", contents[i]});
  }
  return pack_zip(members);
}

}  // namespace creg::fuzz
