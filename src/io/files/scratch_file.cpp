#include "io/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {

ScratchFile::ScratchFile(const std::filesystem::path& folder, std::int64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  // mkstemp puts a unique word in the place of six such letters.
  std::string name = (folder / (".creg-scratch-" + std::string(6, 'X'))).string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) fail_errno(errno, "cannot make a scratch file", folder.string());
  ::unlink(name.c_str());
  int error = ::posix_fallocate(fd, 0, bytes);
  if (error == 0) {
    void* const mapped =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {  // NOLINT(performance-no-int-to-ptr): the system's macro
      error = errno;
    } else {
      data_ = static_cast<std::byte*>(mapped);
    }
  }
  ::close(fd);
  if (error != 0) {
    fail_errno(error, "cannot reserve " + human_bytes(bytes) + " of scratch space",
               folder.string());
  }
}

void ScratchFile::set_aside(std::int64_t offset, std::int64_t bytes) const {
  // Whole pages only: a page that is shared with bytes outside stays.
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t first = (offset + page - 1) / page * page;
  const std::int64_t last = (offset + bytes) / page * page;
  if (first >= last) return;
  // For a shared mapping of a file this only unmaps: the file has the values.
  ::madvise(data_ + first, static_cast<std::size_t>(last - first), MADV_DONTNEED);
}

ScratchFile::~ScratchFile() {
  if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(size_));
}

}  // namespace creg
