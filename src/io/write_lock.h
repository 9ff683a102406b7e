// Keeps two processes from writing into one folder, or to one file, at the same time.
#pragma once

#include <sys/file.h>

#include <filesystem>

#include "creg/core/context.h"

namespace creg {

enum class LockMode {
  wait,      ///< alone, once whoever holds it lets go; Interrupted after Ctrl-C
  alone,     ///< alone or not at all: an environment error that says who holds it
  together,  ///< beside others that hold it so; the same error where somebody holds it alone
};

/// The name of the lock of a folder, in it.
inline constexpr auto folder_lock_name = ".creg-lock";

/// Held from construction to destruction by a small file in the folder, or beside the file; a
/// killed holder lets go by itself. Where the file system has no locks that is a warning, and
/// nothing is held.
class WriteLock {
 public:
  /// flock, or what a test has in its place.
  using LockCall = int (*)(int file, int operation);

  WriteLock(const Context& context, const std::filesystem::path& place, LockMode mode,
            LockCall lock = ::flock);
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;
  ~WriteLock();

 private:
  void let_go();

  std::filesystem::path path_;
  LockCall lock_;
  bool shared_;
  int fd_ = -1;
};

}  // namespace creg
