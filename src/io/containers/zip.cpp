#include "io/containers/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/text.h"
#include "creg/core/array.h"
#include "creg/core/error.h"
#include "io/containers/zip_format.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

using zip_format::deflated;
using zip_format::local_bytes;
using zip_format::stored;
using zip_format::zip64_extra;

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t entry_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator_signature = 0x07064b50;
constexpr std::int64_t entry_bytes = 46;
constexpr std::int64_t end_bytes = 22;
constexpr std::int64_t end64_bytes = 56;
constexpr std::int64_t locator_bytes = 20;
constexpr std::int64_t longest_comment = 0xffff;
constexpr std::uint16_t any_encryption = 1U | (1U << 6) | (1U << 13);
// Deflate spends at least two bits on 258 bytes, so no honest member grows more than this.
constexpr std::int64_t most_growth = 1032;

struct Directory {
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t entries = 0;
};

class Parser {
 public:
  explicit Parser(const Bytes& file) : file_(file) {}

  std::vector<ZipMember> run() {
    const Directory directory = find_directory();
    std::vector<ZipMember> members;
    members.reserve(static_cast<std::size_t>(directory.entries));
    std::int64_t at = directory.offset;
    const std::int64_t end = directory.offset + directory.size;
    for (std::int64_t i = 0; i < directory.entries; ++i) {
      members.push_back(read_entry(at, end));
      locate(members.back(), directory.offset);
    }
    if (at != end) {
      fail("the directory holds more than it counts", at,
           fmt::format("{} bytes after {} members", end - at, directory.entries), "none");
    }
    check_overlaps(members);
    return members;
  }

 private:
  [[noreturn]] void fail(std::string what, std::int64_t at, std::string found = {},
                         std::string expected = {}) const {
    fail_input({.what = std::move(what),
                .file = file_.name,
                .place = fmt::format("byte {}", at),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = "the archive is damaged or cut off: get it again"});
  }

  [[noreturn]] void refuse(std::string what, const ZipMember& member, std::string found,
                           std::string expected) const {
    fail_input({.what = std::move(what),
                .file = file_.name,
                .place = "member " + in_quotes(member.name),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  template <class T>
  T get(std::int64_t at) const {
    return load_little<T>(file_.data.data() + at);
  }

  std::int64_t get64(std::int64_t at) const {
    const auto value = get<std::uint64_t>(at);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail("a size or offset in the archive is absurd", at, std::to_string(value),
           "at most " + std::to_string(file_.size()));
    }
    return static_cast<std::int64_t>(value);
  }

  std::int64_t find_end() const {
    const std::int64_t last = file_.size() - end_bytes;
    const std::int64_t first = std::max<std::int64_t>(0, last - longest_comment);
    for (std::int64_t at = last; at >= first; --at) {
      if (get<std::uint32_t>(at) == end_signature &&
          get<std::uint16_t>(at + 20) == file_.size() - at - end_bytes) {
        return at;
      }
    }
    fail_input({.what = "not a whole zip archive: it has no directory at its end",
                .file = file_.name,
                .found = with_commas(file_.size()) + " bytes",
                .hint = "the archive is damaged, cut off or something else: get it again"});
  }

  Directory find_directory() const {
    const std::int64_t at = find_end();
    if (at >= locator_bytes && get<std::uint32_t>(at - locator_bytes) == locator_signature) {
      return find_directory64(at - locator_bytes);
    }
    if (get<std::uint16_t>(at + 4) != 0 || get<std::uint16_t>(at + 6) != 0 ||
        get<std::uint16_t>(at + 8) != get<std::uint16_t>(at + 10)) {
      fail_multi_disk(at);
    }
    const Directory directory = {.offset = get<std::uint32_t>(at + 16),
                                 .size = get<std::uint32_t>(at + 12),
                                 .entries = get<std::uint16_t>(at + 10)};
    return check_directory(directory, at);
  }

  Directory find_directory64(std::int64_t locator) const {
    if (get<std::uint32_t>(locator + 4) != 0 || get<std::uint32_t>(locator + 16) > 1) {
      fail_multi_disk(locator);
    }
    const std::int64_t at = get64(locator + 8);
    if (at > locator - end64_bytes || get<std::uint32_t>(at) != end64_signature) {
      fail("no zip64 directory where the locator points", locator, "byte " + std::to_string(at));
    }
    if (get<std::uint32_t>(at + 16) != 0 || get<std::uint32_t>(at + 20) != 0 ||
        get<std::uint64_t>(at + 24) != get<std::uint64_t>(at + 32)) {
      fail_multi_disk(at);
    }
    const Directory directory = {
        .offset = get64(at + 48), .size = get64(at + 40), .entries = get64(at + 32)};
    return check_directory(directory, at);
  }

  [[noreturn]] void fail_multi_disk(std::int64_t at) const {
    fail_input({.what = "an archive in several parts cannot be read",
                .file = file_.name,
                .place = fmt::format("byte {}", at),
                .hint = "join the parts into one zip file first"});
  }

  Directory check_directory(const Directory& directory, std::int64_t end) const {
    if (directory.offset > end || directory.size != end - directory.offset) {
      fail("the directory is not where the archive's end says", end,
           fmt::format("{} bytes from byte {}", directory.size, directory.offset),
           fmt::format("it to end at byte {}", end));
    }
    if (directory.entries > directory.size / entry_bytes) {
      fail("more members than the directory has room for", end, with_commas(directory.entries),
           "at most " + with_commas(directory.size / entry_bytes));
    }
    return directory;
  }

  // Reads the entry at `at` and moves `at` behind it.
  ZipMember read_entry(std::int64_t& at, std::int64_t end) const {
    if (end - at < entry_bytes || get<std::uint32_t>(at) != entry_signature) {
      fail("no member where the directory should list one", at);
    }
    const std::int64_t name_size = get<std::uint16_t>(at + 28);
    const std::int64_t extra_size = get<std::uint16_t>(at + 30);
    const std::int64_t comment_size = get<std::uint16_t>(at + 32);
    if (end - at - entry_bytes < name_size + extra_size + comment_size) {
      fail("a directory entry is cut off", at);
    }
    ZipMember member;
    member.name = file_.text().substr(static_cast<std::size_t>(at + entry_bytes),
                                      static_cast<std::size_t>(name_size));
    member.encrypted = (get<std::uint16_t>(at + 8) & any_encryption) != 0;
    member.method = get<std::uint16_t>(at + 10);
    member.crc = get<std::uint32_t>(at + 16);
    member.compressed_size = get<std::uint32_t>(at + 20);
    member.size = get<std::uint32_t>(at + 24);
    member.header_offset = get<std::uint32_t>(at + 42);
    const auto disk = get<std::uint16_t>(at + 34);
    const std::int64_t extra = at + entry_bytes + name_size;
    if (apply_zip64(member, disk, extra, extra + extra_size) != 0) fail_multi_disk(at);
    check_name(member);
    at = extra + extra_size + comment_size;
    return member;
  }

  // Fields that do not fit their 32 bits stand in an extra record, in this order. Returns the
  // number of the disk that the member is on.
  std::uint32_t apply_zip64(ZipMember& member, std::uint16_t disk, std::int64_t at,
                            std::int64_t end) const {
    constexpr std::int64_t in_extra = 0xffffffff;
    constexpr std::uint16_t disk_in_extra = 0xffff;
    while (end - at >= 4) {
      const auto id = get<std::uint16_t>(at);
      const std::int64_t size = get<std::uint16_t>(at + 2);
      at += 4;
      if (size > end - at) fail("an extra field is cut off", at);
      if (id == zip64_extra) {
        std::int64_t field = at;
        for (std::int64_t* value : {&member.size, &member.compressed_size, &member.header_offset}) {
          if (*value != in_extra) continue;
          if (at + size - field < 8) fail("a zip64 field is cut off", field);
          *value = get64(field);
          field += 8;
        }
        if (disk != disk_in_extra) return disk;
        if (at + size - field < 4) fail("a zip64 field is cut off", field);
        return get<std::uint32_t>(field);
      }
      at += size;
    }
    return disk;
  }

  void check_name(const ZipMember& member) const {
    const std::string& name = member.name;
    const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
    const bool has_drive = name.size() > 1 && name[1] == ':';
    bool safe =
        !name.empty() && name.find('\0') == std::string::npos && !is_slash(name[0]) && !has_drive;
    for (auto part = name.begin(); safe && part != name.end();) {
      const auto part_end = std::find_if(part, name.end(), is_slash);
      safe = std::string_view(part, part_end) != "..";
      part = part_end == name.end() ? part_end : part_end + 1;
    }
    if (!safe) {
      refuse("a member's name could lead out of its folder", member, in_quotes(name),
             "a relative name without '..'");
    }
  }

  // Finds where the member's bytes start and checks that they are there.
  void locate(ZipMember& member, std::int64_t directory_offset) const {
    const std::int64_t at = member.header_offset;
    if (at > directory_offset - local_bytes || get<std::uint32_t>(at) != local_signature) {
      refuse("no member where the directory points", member, "byte " + std::to_string(at),
             "a local header before byte " + std::to_string(directory_offset));
    }
    const std::int64_t name_size = get<std::uint16_t>(at + 26);
    const std::int64_t extra_size = get<std::uint16_t>(at + 28);
    const std::int64_t room = directory_offset - at - local_bytes - name_size - extra_size;
    if (room < 0 || member.compressed_size > room) {
      refuse("a member reaches beyond the archive", member,
             with_commas(member.compressed_size) + " bytes",
             "at most " + with_commas(std::max<std::int64_t>(room, 0)));
    }
    const std::string_view local_name = file_.text().substr(
        static_cast<std::size_t>(at + local_bytes), static_cast<std::size_t>(name_size));
    if (local_name != member.name) {
      refuse("the directory and the member disagree on its name", member, in_quotes(local_name),
             in_quotes(member.name));
    }
    member.data_offset = at + local_bytes + name_size + extra_size;
  }

  void check_overlaps(const std::vector<ZipMember>& members) const {
    std::vector<const ZipMember*> order;
    order.reserve(members.size());
    for (const ZipMember& member : members) order.push_back(&member);
    std::sort(order.begin(), order.end(), [](const ZipMember* a, const ZipMember* b) {
      return a->header_offset < b->header_offset;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::int64_t end = order[i - 1]->data_offset + order[i - 1]->compressed_size;
      if (order[i]->header_offset < end) {
        refuse("two members share bytes of the archive", *order[i],
               "a start at byte " + std::to_string(order[i]->header_offset),
               fmt::format("one from byte {}, the end of {}", end, in_quotes(order[i - 1]->name)));
      }
    }
  }

  const Bytes& file_;
};

}  // namespace

ZipArchive::ZipArchive(Bytes file) : file_(std::move(file)) {
  members_ = Parser(file_).run();
  by_name_.resize(members_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::size_t a, std::size_t b) { return members_[a].name < members_[b].name; });
  for (std::size_t i = 1; i < by_name_.size(); ++i) {
    if (members_[by_name_[i]].name != members_[by_name_[i - 1]].name) continue;
    fail_input({.what = "two members have the same name",
                .file = file_.name,
                .found = in_quotes(members_[by_name_[i]].name) + " twice",
                .expected = "each name once"});
  }
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto at =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](std::size_t i, std::string_view n) { return members_[i].name < n; });
  return at != by_name_.end() && members_[*at].name == name ? &members_[*at] : nullptr;
}

Bytes ZipArchive::read(std::string_view name, std::int64_t limit) const {
  const ZipMember* member = find(name);
  if (member != nullptr) return read(*member, limit);
  std::vector<std::string> names;
  constexpr std::size_t most_listed = 30;
  for (const ZipMember& m : members_) {
    if (names.size() == most_listed) break;
    names.push_back(in_quotes(m.name));
  }
  if (members_.size() > most_listed) {
    names.push_back(fmt::format("{} more", members_.size() - most_listed));
  }
  fail_input({.what = "the archive has no such member",
              .file = file_.name,
              .found = names.empty() ? "an empty archive" : join_words(names),
              .expected = in_quotes(name)});
}

namespace {

[[noreturn]] void fail_member(const Bytes& packed, std::string what, std::string found,
                              std::string expected, std::string hint = {}) {
  fail_input({.what = std::move(what),
              .file = packed.name,
              .found = std::move(found),
              .expected = std::move(expected),
              .hint = std::move(hint)});
}

constexpr const char* get_again = "the archive is damaged: get it again";

Bytes unpack(const Bytes& packed, std::int64_t size) {
  // size / growth rather than a product, which an absurd size could overflow.
  if (size / most_growth > packed.size()) {
    fail_member(packed, "declares a size that its compressed bytes cannot hold", human_bytes(size),
                "at most " + human_bytes(packed.size() * most_growth), get_again);
  }
  Buffer<std::byte> out(size);
  Inflater inflater(packed, Compression::raw_deflate);
  const auto filled = static_cast<std::int64_t>(inflater.read(out.span()));
  std::byte extra{};
  const bool more = inflater.read({&extra, 1}) > 0;
  if (filled < size || more) {
    fail_member(packed, "unpacks to another size than declared",
                more ? "more" : with_commas(filled) + " bytes", with_commas(size) + " bytes",
                get_again);
  }
  if (inflater.consumed() != packed.size()) {
    fail_member(packed, "compressed data end before the member does",
                with_commas(inflater.consumed()) + " bytes", with_commas(packed.size()), get_again);
  }
  const Array<std::byte> unpacked(std::move(out));
  auto owner = std::make_shared<const Array<std::byte>>(unpacked);
  return {.name = packed.name, .data = unpacked.span(), .owner = std::move(owner)};
}

}  // namespace

Bytes ZipArchive::packed(const ZipMember& member) const {
  Bytes packed = file_.slice(member.data_offset, member.compressed_size,
                             file_.name + ": member " + in_quotes(member.name));
  if (member.encrypted) {
    fail_member(packed, "is encrypted", {}, "a member that needs no password",
                "unpack the archive with its password first");
  }
  if (member.method != stored && member.method != deflated) {
    fail_member(packed, "is compressed in a way that is not supported",
                "method " + std::to_string(member.method), "0 (stored) or 8 (deflated)",
                "pack the archive again as an ordinary zip");
  }
  if (member.method == stored && member.size != member.compressed_size) {
    fail_member(packed, "a stored member has two sizes", with_commas(member.compressed_size),
                with_commas(member.size) + " bytes", get_again);
  }
  return packed;
}

Bytes ZipArchive::read_start(const ZipMember& member, std::int64_t most) const {
  const Bytes packed = this->packed(member);
  const std::int64_t size = std::min(member.size, most);
  if (member.method == stored) return packed.slice(0, size, packed.name);
  std::string start(static_cast<std::size_t>(size), '\0');
  start.resize(
      Inflater(packed, Compression::raw_deflate).read(std::as_writable_bytes(std::span(start))));
  return Bytes::from_string(std::move(start), packed.name);
}

Bytes ZipArchive::read(const ZipMember& member, std::int64_t limit) const {
  const Bytes packed = this->packed(member);
  if (member.size > limit) {
    fail_member(packed, "is too large", human_bytes(member.size), "at most " + human_bytes(limit));
  }
  Bytes contents = member.method == stored ? packed : unpack(packed, member.size);
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(contents.data.data()), contents.data.size()));
  if (crc != member.crc) {
    fail_member(packed, "the checksum is wrong", fmt::format("CRC-32 {:08x}", crc),
                fmt::format("{:08x}", member.crc), get_again);
  }
  return contents;
}

bool is_zip(const Bytes& bytes) {
  if (bytes.size() < end_bytes) return false;
  const auto signature = load_little<std::uint32_t>(bytes.data.data());
  return signature == local_signature || signature == end_signature;
}

}  // namespace creg
