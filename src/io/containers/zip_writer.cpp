#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "creg/core/error.h"
#include "io/containers/zip.h"
#include "io/containers/zip_format.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

using zip_format::local_bytes;
using zip_format::zip64_extra;

constexpr std::uint16_t version = 20;
constexpr std::uint16_t version_zip64 = 45;
constexpr std::uint16_t utf8_names = 1U << 11;
constexpr std::uint16_t first_of_january_1980 = (1U << 5) | 1U;
constexpr std::uint16_t padding_extra = 0xd935;  // the id under which other tools pad as well
constexpr std::int64_t member_alignment = 64;
constexpr std::int64_t extra_header_bytes = 4;
constexpr std::int64_t zip64_local_bytes = 20;
constexpr std::uint32_t see_zip64 = 0xffffffff;
constexpr std::uint16_t see_zip64_count = 0xffff;

std::uint32_t update_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  // zlib takes a null pointer, which an empty span may hold, as a wish to start over.
  if (bytes.empty()) return crc;
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& path, Options options)
    : file_(path), options_(options) {}

bool ZipWriter::is_large(std::int64_t value) const {
  return options_.always_zip64 || value >= static_cast<std::int64_t>(see_zip64);
}

std::string ZipWriter::local_header(const ZipMember& member, bool zip64,
                                    std::size_t padding) const {
  std::string out = "PK\x03\x04";
  append_little(out, zip64 ? version_zip64 : version);
  append_little(out, utf8_names);
  append_little(out, static_cast<std::uint16_t>(member.method));
  append_little(out, std::uint16_t{0});
  append_little(out, first_of_january_1980);
  append_little(out, member.crc);
  append_little(out, zip64 ? see_zip64 : static_cast<std::uint32_t>(member.compressed_size));
  append_little(out, zip64 ? see_zip64 : static_cast<std::uint32_t>(member.size));
  append_little(out, static_cast<std::uint16_t>(member.name.size()));
  append_little(out, static_cast<std::uint16_t>((zip64 ? zip64_local_bytes : 0) + padding));
  out += member.name;
  if (zip64) {
    append_little(out, zip64_extra);
    append_little(out, std::uint16_t{16});
    append_little(out, member.size);
    append_little(out, member.compressed_size);
  }
  if (padding > 0) {
    append_little(out, padding_extra);
    append_little(out, static_cast<std::uint16_t>(padding - extra_header_bytes));
    out.append(padding - extra_header_bytes, '\0');
  }
  return out;
}

std::string ZipWriter::directory_entry(const ZipMember& member) const {
  const bool large_size = is_large(std::max(member.size, member.compressed_size));
  const bool large_offset = is_large(member.header_offset);
  std::string extra;
  if (large_size || large_offset) {
    append_little(extra, zip64_extra);
    append_little(extra,
                  static_cast<std::uint16_t>((large_size ? 16 : 0) + (large_offset ? 8 : 0)));
    if (large_size) {
      append_little(extra, member.size);
      append_little(extra, member.compressed_size);
    }
    if (large_offset) append_little(extra, member.header_offset);
  }
  std::string out = "PK\x01\x02";
  const std::uint16_t needed = extra.empty() ? version : version_zip64;
  append_little(out, needed);
  append_little(out, needed);
  append_little(out, utf8_names);
  append_little(out, static_cast<std::uint16_t>(member.method));
  append_little(out, std::uint16_t{0});
  append_little(out, first_of_january_1980);
  append_little(out, member.crc);
  append_little(out, large_size ? see_zip64 : static_cast<std::uint32_t>(member.compressed_size));
  append_little(out, large_size ? see_zip64 : static_cast<std::uint32_t>(member.size));
  append_little(out, static_cast<std::uint16_t>(member.name.size()));
  append_little(out, static_cast<std::uint16_t>(extra.size()));
  append_little(out, std::uint16_t{0});  // comment
  append_little(out, std::uint16_t{0});  // disk
  append_little(out, std::uint16_t{0});  // internal attributes
  append_little(out, std::uint32_t{0});  // external attributes
  append_little(out, large_offset ? see_zip64 : static_cast<std::uint32_t>(member.header_offset));
  return out + member.name + extra;
}

void ZipWriter::add(std::string name, std::span<const std::span<const std::byte>> parts) {
  invariant(!name.empty() && name.size() <= std::numeric_limits<std::uint16_t>::max(),
            "a member's name fits the zip format");
  invariant(names_.insert(name).second, "each member is written once");
  ZipMember member;
  member.name = std::move(name);
  member.header_offset = file_.size();
  for (const auto part : parts) {
    member.size += static_cast<std::int64_t>(part.size());
    member.crc = update_crc(member.crc, part);
  }
  member.compressed_size = member.size;
  const bool zip64 = is_large(member.size);
  const std::int64_t unpadded = member.header_offset + local_bytes +
                                static_cast<std::int64_t>(member.name.size()) +
                                (zip64 ? zip64_local_bytes : 0);
  std::int64_t padding = (member_alignment - unpadded % member_alignment) % member_alignment;
  if (padding > 0 && padding < extra_header_bytes) padding += member_alignment;
  file_.write(local_header(member, zip64, static_cast<std::size_t>(padding)));
  member.data_offset = file_.size();
  for (const auto part : parts) file_.write(part);
  members_.push_back(std::move(member));
}

void ZipWriter::add(std::string name, std::span<const std::byte> contents) {
  add(std::move(name), std::span(&contents, 1));
}

void ZipWriter::add(std::string name, std::string_view contents) {
  add(std::move(name), std::as_bytes(std::span(contents)));
}

void ZipWriter::commit() {
  const std::int64_t offset = file_.size();
  for (const ZipMember& member : members_) file_.write(directory_entry(member));
  const std::int64_t size = file_.size() - offset;
  const auto count = static_cast<std::int64_t>(members_.size());
  const bool zip64 = is_large(std::max(offset, size)) || count >= see_zip64_count;
  std::string end;
  if (zip64) {
    const std::int64_t end64 = file_.size();
    end = "PK\x06\x06";
    append_little(end, std::int64_t{44});  // bytes of this record that follow
    append_little(end, version_zip64);
    append_little(end, version_zip64);
    append_little(end, std::uint64_t{0});  // this disk and the directory's
    append_little(end, count);
    append_little(end, count);
    append_little(end, size);
    append_little(end, offset);
    end += "PK\x06\x07";
    append_little(end, std::uint32_t{0});
    append_little(end, end64);
    append_little(end, std::uint32_t{1});  // disks in all
  }
  end += "PK\x05\x06";
  append_little(end, std::uint32_t{0});  // this disk and the directory's
  const std::uint16_t short_count = zip64 ? see_zip64_count : static_cast<std::uint16_t>(count);
  append_little(end, short_count);
  append_little(end, short_count);
  append_little(end, zip64 ? see_zip64 : static_cast<std::uint32_t>(size));
  append_little(end, zip64 ? see_zip64 : static_cast<std::uint32_t>(offset));
  append_little(end, std::uint16_t{0});  // comment
  file_.write(end);
  file_.commit();
}

}  // namespace creg
