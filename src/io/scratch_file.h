// Working space on disk instead of in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace creg {

/// Mapped bytes of a file without a name, which vanishes with this object or with the process. The
/// system may write its pages out and drop them, so that it takes no memory that others need.
class ScratchFile {
 public:
  /// In `folder`, which must be there. The space is reserved at once: a full disk is an environment
  /// error here, not a crash later.
  ScratchFile(const std::filesystem::path& folder, std::int64_t bytes);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Bytes that nobody reads or writes for a while stop counting as this process's memory; they
  /// keep their values.
  void set_aside(std::int64_t offset, std::int64_t bytes) const;

  std::byte* data() const { return data_; }
  std::int64_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace creg
