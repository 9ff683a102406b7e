#include "io/catalogue/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/files/system_call.h"

namespace creg {
namespace {

// An ETag is a short quoted word; anything longer was not written by us.
constexpr std::int64_t longest_version = 1024;

std::filesystem::path with_suffix(const std::filesystem::path& path, const char* suffix) {
  std::filesystem::path result = path;
  result += suffix;
  return result;
}

}  // namespace

void refuse_symlink(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return;
  fail_input({.what = "a symbolic link where a download is to go",
              .file = path.string(),
              .expected = "nothing, or a file",
              .hint = "remove the link, or choose another place with --data-dir"});
}

PartFile::PartFile(std::filesystem::path final_path)
    : final_path_(std::move(final_path)),
      path_(with_suffix(final_path_, ".part")),
      version_path_(with_suffix(final_path_, ".part.etag")) {
  refuse_symlink(final_path_);
  refuse_symlink(path_);
  refuse_symlink(version_path_);
  // One that was made a moment ago is not followed either; a pipe is not waited for.
  fd_ = uninterrupted([&] {
    return ::open(path_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  });
  if (fd_ < 0) fail_errno(errno, "cannot create a file here", path_.string());
  struct stat status {};
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    ::close(fd_);
    fail_errno(error, "cannot read", path_.string());
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(fd_);
    fail_input({.what = "not a regular file", .file = path_.string(), .expected = "a file"});
  }
  size_ = status.st_size;
  std::error_code ignored;
  if (size_ > 0 && std::filesystem::is_regular_file(version_path_, ignored)) {
    const Bytes kept = map_file(version_path_);
    if (kept.size() <= longest_version) version_ = kept.text();
  }
}

PartFile::~PartFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (size_ == 0) {
    ::unlink(path_.c_str());
    remove_version();
  }
}

void PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        uninterrupted([&] { return ::pwrite(fd_, bytes.data(), bytes.size(), size_); });
    if (written <= 0) {
      fail_errno(written < 0 ? errno : EIO, "cannot write", path_.string(),
                 "what came so far stays there: free some space and run the same again, or choose "
                 "another place with --data-dir");
    }
    size_ += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PartFile::clear() {
  if (uninterrupted([&] { return ::ftruncate(fd_, 0); }) != 0) {
    fail_errno(errno, "cannot write", path_.string());
  }
  size_ = 0;
  remove_version();
}

void PartFile::set_version(std::string_view version) {
  if (version == version_) return;
  remove_version();
  if (version.empty() || static_cast<std::int64_t>(version.size()) > longest_version) return;
  write_file(version_path_, version);
  version_ = version;
}

void PartFile::remove_version() {
  version_.clear();
  ::unlink(version_path_.c_str());
}

void PartFile::commit() {
  if (uninterrupted([&] { return ::fsync(fd_); }) != 0) {
    fail_errno(errno, "cannot write", path_.string());
  }
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) {
    fail_errno(errno, "cannot rename the finished file to this name", final_path_.string());
  }
  ::close(fd_);
  fd_ = -1;
  remove_version();
  sync_folder_of(final_path_);
}

}  // namespace creg
