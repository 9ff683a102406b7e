#include "io/catalogue/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "creg/core/error.h"
#include "io/files/system_call.h"

namespace creg {
namespace {

constexpr std::chrono::milliseconds poll_interval{50};

/// False when the file under `path` is no longer the one that was opened: its holder removed it.
bool still_there(int fd, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(const Context& context, const std::filesystem::path& folder)
    : path_(folder / ".lock") {
  bool told = false;
  while (true) {
    if (fd_ < 0) {
      fd_ =
          uninterrupted([&] { return ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666); });
    }
    if (fd_ < 0) fail_errno(errno, "cannot create a file here", path_.string());
    if (uninterrupted([&] { return ::flock(fd_, LOCK_EX | LOCK_NB); }) == 0) {
      if (still_there(fd_, path_)) return;
      ::close(fd_);
      fd_ = -1;
      continue;
    }
    const int error = errno;
    if (error != EWOULDBLOCK) {
      ::close(fd_);
      fail_errno(error, "cannot lock", path_.string(),
                 "this file system has no locks: get the files elsewhere and copy them here");
    }
    if (!told) {
      context.log().write(LogLevel::notice,
                          "another process is working in " + folder.string() + ": waiting for it");
      told = true;
    }
    if (context.stopped()) {
      ::close(fd_);
      throw Interrupted();
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

FolderLock::~FolderLock() {
  // Removed while still held: whoever waits then sees that the name is gone and makes a new one.
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace creg
