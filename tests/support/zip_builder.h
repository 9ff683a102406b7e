// Zip archives put together by hand, with every field open to be wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/byte_order.h"
#include "support/compress.h"

namespace creg::test {

struct ZipPart {
  std::string name;
  std::string contents;
  bool deflate = false;
  std::uint16_t flags = 0;
  std::optional<std::uint16_t> method;
  std::optional<std::uint32_t> crc;
  std::optional<std::uint32_t> size;
  std::optional<std::uint32_t> compressed_size;
  std::optional<std::uint32_t> offset;
  std::optional<std::string> local_name;
  std::string extra;  // of the directory entry
};

struct ZipEnd {
  std::uint16_t disk = 0;
  std::optional<std::uint16_t> entries;
  std::optional<std::uint32_t> offset;
  std::string comment;
};

inline std::string build_zip(const std::vector<ZipPart>& parts, const ZipEnd& end = {}) {
  std::string out;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::string packed = part.deflate ? deflate_raw(part.contents) : part.contents;
    const auto computed =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(part.contents.data()),
                                         static_cast<uInt>(part.contents.size())));
    const auto size = static_cast<std::uint32_t>(part.contents.size());
    const auto packed_size = static_cast<std::uint32_t>(packed.size());
    const auto offset = static_cast<std::uint32_t>(out.size());
    const auto add_fields = [&](std::string& to) {
      append_little<std::uint16_t>(to, 20);
      append_little<std::uint16_t>(to, part.flags);
      append_little<std::uint16_t>(to, part.method.value_or(part.deflate ? 8 : 0));
      append_little<std::uint32_t>(to, 0x00210000);
      append_little<std::uint32_t>(to, part.crc.value_or(computed));
      append_little<std::uint32_t>(to, part.compressed_size.value_or(packed_size));
      append_little<std::uint32_t>(to, part.size.value_or(size));
    };
    const std::string local_name = part.local_name.value_or(part.name);
    out += "PK\x03\x04";
    add_fields(out);
    append_little<std::uint16_t>(out, static_cast<std::uint16_t>(local_name.size()));
    append_little<std::uint16_t>(out, 0);
    out += local_name + packed;
    directory += "PK\x01\x02";
    append_little<std::uint16_t>(directory, 20);
    add_fields(directory);
    append_little<std::uint16_t>(directory, static_cast<std::uint16_t>(part.name.size()));
    append_little<std::uint16_t>(directory, static_cast<std::uint16_t>(part.extra.size()));
    directory += std::string(10, '\0');  // comment, disk, attributes
    append_little<std::uint32_t>(directory, part.offset.value_or(offset));
    directory += part.name + part.extra;
  }
  const auto start = static_cast<std::uint32_t>(out.size());
  const auto count = static_cast<std::uint16_t>(parts.size());
  out += directory + "PK\x05\x06";
  append_little<std::uint16_t>(out, end.disk);
  append_little<std::uint16_t>(out, end.disk);
  append_little<std::uint16_t>(out, end.entries.value_or(count));
  append_little<std::uint16_t>(out, end.entries.value_or(count));
  append_little<std::uint32_t>(out, static_cast<std::uint32_t>(directory.size()));
  append_little<std::uint32_t>(out, end.offset.value_or(start));
  append_little<std::uint16_t>(out, static_cast<std::uint16_t>(end.comment.size()));
  return out + end.comment;
}

}  // namespace creg::test
