// Files: read-only views of whole files, and outputs that appear under their name only when whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

/// Read-only bytes with a name for messages; what every reader takes. Keeps its storage alive.
struct Bytes {
  std::string name;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;

  std::int64_t size() const { return static_cast<std::int64_t>(data.size()); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }
  /// A part of the same storage; the caller has checked the bounds.
  Bytes slice(std::int64_t offset, std::int64_t size, std::string slice_name) const;
  /// Owns a copy of `text`.
  static Bytes from_string(std::string text, std::string name);
};

/// False when nothing has this name; a place that cannot be looked into counts as there, so that
/// opening it says what is wrong.
bool is_there(const std::filesystem::path& path);

/// True for a file that is no folder; false where that cannot be told.
bool is_file(const std::filesystem::path& path);

/// Maps the file. Missing or unreadable: an input error that names it.
Bytes map_file(const std::filesystem::path& path);

/// An input error where something stands under the name that a file cannot replace: a folder, a
/// pipe, a device. A symbolic link to a file, or to nothing, is replaced; its target stays.
void check_replaceable(const std::filesystem::path& path);

/// Writes to a temporary name beside `path`; `commit` flushes to disk, renames, and flushes the
/// folder. Without commit the destructor removes the temporary file, so after a failed run what was
/// there before is there still, or nothing. What check_replaceable refuses is refused.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::int64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }
  void commit();
  /// The same for a name that nothing has: what came there in the meantime is not replaced, and is
  /// an input error.
  void commit_new();

 private:
  friend class AtomicPair;

  void flush();
  void finish();          ///< all bytes are on disk
  void take_name();       ///< after finish
  void close_finished();  ///< after it has its name

  std::filesystem::path path_;
  std::string temporary_;
  int fd_ = -1;
  std::size_t place_ = 0;  ///< in the table behind remove_unfinished_files, while it is open
  std::int64_t size_ = 0;
  std::string buffer_;
};

/// A file and one beside it that tells of it, as the names of its rows do: both are new, or, after
/// an error, as before. At no moment does one of them stand beside an older other.
class AtomicPair {
 public:
  /// Without `wanted` the one beside is taken away. Where it is there and the file itself is not,
  /// it is somebody else's, and an input error.
  AtomicPair(const std::filesystem::path& file, std::filesystem::path beside, bool wanted);

  AtomicFile& file() { return file_; }
  AtomicFile& beside() { return *beside_; }
  void commit();

 private:
  AtomicFile file_;
  std::filesystem::path beside_path_;
  std::optional<AtomicFile> beside_;
};

/// The name that the temporary file of this name is to get; empty: it is no AtomicFile's. A killed
/// process leaves such files behind.
std::string_view name_of_part(std::string_view temporary);

/// The whole of `text` under `path`, or nothing.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Adds `text` to the end of the file, which is made if need be, and flushes it to disk; after an
/// error the file is as before.
void append_file(const std::filesystem::path& path, std::string_view text);

/// After a rename: flushes the folder of `path`, so that the name outlives a loss of power.
void sync_folder_of(const std::filesystem::path& path);

/// Everything in a folder, in no order.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& path);

/// With its parents, where they are not there.
void make_folder(const std::filesystem::path& path);

/// Where it is there.
void remove_file(const std::filesystem::path& path);

}  // namespace creg
