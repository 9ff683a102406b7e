// Keeps two processes from filling one folder at the same time.
#pragma once

#include <filesystem>

#include "creg/core/context.h"

namespace creg {

/// Holds `<folder>/.lock` from construction to destruction, waiting for whoever holds it; the wait
/// ends with Interrupted after Ctrl-C. A killed holder lets go by itself.
class FolderLock {
 public:
  FolderLock(const Context& context, const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace creg
