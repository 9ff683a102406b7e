// A download in progress: `<file>.part`, which outlives the process so that a later one can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace creg {

/// An input error where this name is a symbolic link: whoever made it may want another file to be
/// overwritten.
void refuse_symlink(const std::filesystem::path& path);

class PartFile {
 public:
  /// Opens or creates `<final_path>.part`; whoever does holds the lock of its folder. A symbolic
  /// link under one of its names is refused.
  explicit PartFile(std::filesystem::path final_path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Leaves what was written, for a later process; an empty part is removed.
  ~PartFile();

  const std::filesystem::path& path() const { return path_; }
  std::int64_t size() const { return size_; }
  void append(std::span<const std::byte> bytes);
  /// Back to nothing, to start again.
  void clear();
  /// What the server calls this version of the file (its ETag); kept beside the part, so that
  /// pieces of two versions are never joined. Empty: not known.
  const std::string& version() const { return version_; }
  void set_version(std::string_view version);
  /// Flushes to disk and gives the file its name.
  void commit();

 private:
  void remove_version();

  std::filesystem::path final_path_;
  std::filesystem::path path_;
  std::filesystem::path version_path_;
  std::string version_;
  int fd_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace creg
