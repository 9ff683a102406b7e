// Zip archives: what npz files and dataset downloads are packed in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/containers/inflate.h"
#include "io/file.h"

namespace creg {

struct ZipMember {
  std::string name;
  std::int64_t size = 0;             ///< when unpacked
  std::int64_t compressed_size = 0;  ///< in the archive
  std::int64_t header_offset = 0;
  std::int64_t data_offset = 0;
  std::uint32_t crc = 0;
  int method = 0;  ///< 0 stored, 8 deflated; others can be listed but not read
  bool encrypted = false;
};

/// The directory of an archive in memory (zip64 too). Opening checks that every member lies inside
/// the file, that none overlaps another, and that names are unique and stay inside the folder they
/// would be unpacked to.
class ZipArchive {
 public:
  explicit ZipArchive(Bytes file);

  const std::string& name() const { return file_.name; }
  /// In the order of the archive's directory.
  const std::vector<ZipMember>& members() const { return members_; }
  /// Null when there is none of this name.
  const ZipMember* find(std::string_view name) const;

  /// The member's bytes: a slice of the archive when stored, unpacked otherwise; length and
  /// CRC-32 checked. A member that is missing, damaged or larger than `limit` is an input error.
  Bytes read(std::string_view name, std::int64_t limit = default_read_limit()) const;
  Bytes read(const ZipMember& member, std::int64_t limit = default_read_limit()) const;
  /// Its first bytes, `most` of them or all; no checksum is known of a part.
  Bytes read_start(const ZipMember& member, std::int64_t most) const;

 private:
  /// As it lies in the archive; one that cannot be unpacked is an input error.
  Bytes packed(const ZipMember& member) const;

  Bytes file_;
  std::vector<ZipMember> members_;
  std::vector<std::size_t> by_name_;  // indices into members_, sorted by name
};

/// True when the bytes start as a zip archive does.
bool is_zip(const Bytes& bytes);

/// Writes an archive that appears under its name only when whole. The same members give the same
/// bytes: no times are recorded. Nothing is compressed, and contents start at multiples of 64
/// bytes, so that arrays inside can be mapped.
class ZipWriter {
 public:
  struct Options {
    bool always_zip64 = false;  ///< otherwise only where sizes or counts ask for it
  };

  explicit ZipWriter(const std::filesystem::path& path) : ZipWriter(path, Options{}) {}
  ZipWriter(const std::filesystem::path& path, Options options);

  /// One member out of the given parts, one after the other.
  void add(std::string name, std::span<const std::span<const std::byte>> parts);
  void add(std::string name, std::span<const std::byte> contents);
  void add(std::string name, std::string_view contents);
  /// Writes the directory and gives the file its name.
  void commit();

 private:
  bool is_large(std::int64_t value) const;
  std::string local_header(const ZipMember& member, bool zip64, std::size_t padding) const;
  std::string directory_entry(const ZipMember& member) const;

  AtomicFile file_;
  Options options_;
  std::vector<ZipMember> members_;
  std::unordered_set<std::string> names_;
};

}  // namespace creg
