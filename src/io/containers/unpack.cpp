#include "io/containers/unpack.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"

namespace creg {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr int method_stored = 0;
constexpr int method_deflated = 8;

const ZipMember& find_in_any_folder(const ZipArchive& archive, std::string_view name) {
  if (const ZipMember* member = archive.find(name)) return *member;
  const std::string ending = fmt::format("/{}", name);
  for (const ZipMember& member : archive.members()) {
    if (member.name.ends_with(ending)) return member;
  }
  fail_input({.what = "the archive lacks a member",
              .file = archive.name(),
              .expected = std::string(name)});
}

[[noreturn]] void fail_damaged(const ZipArchive& archive, const ZipMember& member,
                               std::string found, std::string expected) {
  fail_input({.what = "damaged archive",
              .file = archive.name(),
              .place = "member " + in_quotes(member.name),
              .found = std::move(found),
              .expected = std::move(expected)});
}

}  // namespace

std::int64_t unpack_member(const Context& context, const Bytes& file, const ZipArchive& archive,
                           std::string_view name, const std::filesystem::path& target) {
  const ZipMember& member = find_in_any_folder(archive, name);
  if (member.encrypted || (member.method != method_stored && member.method != method_deflated)) {
    fail_damaged(archive, member,
                 member.encrypted ? "encrypted" : fmt::format("method {}", member.method),
                 "stored or deflated bytes");
  }
  const Bytes packed = file.slice(member.data_offset, member.compressed_size,
                                  fmt::format("{}:{}", archive.name(), member.name));
  AtomicFile out(target);
  ProgressTask progress(context, fmt::format("unpacking {}", name), member.size, "bytes");
  uLong crc = crc32(0, nullptr, 0);
  const auto keep = [&](std::span<const std::byte> piece) {
    if (static_cast<std::int64_t>(piece.size()) > member.size - out.size()) {
      fail_damaged(archive, member, "more bytes", with_commas(member.size));
    }
    crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    out.write(piece);
    progress.advance(static_cast<std::int64_t>(piece.size()));
  };
  if (member.method == method_stored) {
    for (std::size_t at = 0; at < packed.data.size(); at += piece_bytes) {
      keep(packed.data.subspan(at, std::min(piece_bytes, packed.data.size() - at)));
    }
  } else {
    Inflater inflater(packed, Compression::raw_deflate);
    std::vector<std::byte> piece(piece_bytes);
    while (!inflater.finished()) keep(std::span(piece).first(inflater.read(piece)));
  }
  if (out.size() != member.size) {
    fail_damaged(archive, member, with_commas(out.size()) + " bytes", with_commas(member.size));
  }
  if (static_cast<std::uint32_t>(crc) != member.crc) {
    fail_damaged(archive, member, fmt::format("CRC-32 {:08x}", crc),
                 fmt::format("{:08x}", member.crc));
  }
  out.commit();
  progress.finish();
  return out.size();
}

}  // namespace creg
