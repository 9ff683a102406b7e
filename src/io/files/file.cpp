#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "creg/core/error.h"
#include "io/files/mapping.h"
#include "io/files/system_call.h"
#include "io/files/unfinished.h"
#include "io/mapped_files.h"

namespace creg {
namespace {

constexpr std::string_view part_mark = ".part-";
constexpr std::size_t write_buffer_bytes = std::size_t{1} << 20;

constexpr const char* nothing_left =
    "nothing was left under this name; free some space or choose another place";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Why bytes could not be written: their own file may be at fault, where they are mapped.
[[noreturn]] void fail_write(int error, const std::byte* from, const std::filesystem::path& path,
                             const std::string& hint) {
  const char* const source = error == EFAULT ? mapped_file_at(from) : nullptr;
  if (source != nullptr) {
    fail_environment({.what = "the file became shorter while it was in use", .file = source});
  }
  fail_errno(error, "cannot write", path.string(), hint);
}

void write_all(int fd, std::span<const std::byte> bytes, std::int64_t offset,
               const std::filesystem::path& path, const std::string& hint) {
  while (!bytes.empty()) {
    const ssize_t written =
        uninterrupted([&] { return ::pwrite(fd, bytes.data(), bytes.size(), offset); });
    if (written <= 0) fail_write(written < 0 ? errno : EIO, bytes.data(), path, hint);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

int open_file(const std::filesystem::path& path, int flags) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
}

}  // namespace

Bytes Bytes::slice(std::int64_t offset, std::int64_t size, std::string slice_name) const {
  invariant(offset >= 0 && size >= 0 && offset <= this->size() && size <= this->size() - offset,
            "a slice lies inside its bytes");
  return {.name = std::move(slice_name),
          .data = data.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)),
          .owner = owner};
}

Bytes Bytes::from_string(std::string text, std::string name) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::span<const char> view(owner->data(), owner->size());
  return {.name = std::move(name), .data = std::as_bytes(view), .owner = std::move(owner)};
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

Bytes map_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Descriptor file(open_file(path, O_RDONLY));
  if (file.get() < 0) {
    const int error = errno;
    if (error == ENOENT) fail_input({.what = "no such file", .file = name});
    fail_errno(error, "cannot open", name);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_errno(errno, "cannot read", name);
  if (S_ISDIR(status.st_mode)) {
    fail_input({.what = "this is a folder", .file = name, .expected = "a file"});
  }
  if (!S_ISREG(status.st_mode)) {
    fail_input({.what = "not a regular file", .file = name, .expected = "a file"});
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return Bytes::from_string("", name);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) fail_errno(errno, "cannot map", name);
  const std::span bytes(static_cast<const std::byte*>(address), size);
  return {.name = name, .data = bytes, .owner = std::make_shared<const Mapping>(bytes, name)};
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    fail_input({.what = "a folder has this name", .file = path_.string(), .expected = "a file"});
  }
  // A leftover of a killed process with the same number keeps its name; ours takes the next.
  for (int attempt = 0; fd_ < 0; ++attempt) {
    temporary_ = path_.string() + std::string(part_mark) + std::to_string(::getpid()) + "-" +
                 std::to_string(attempt);
    fd_ = open_file(temporary_, O_CREAT | O_EXCL | O_RDWR);
    if (fd_ < 0 && errno != EEXIST) {
      fail_errno(errno, "cannot create a file here", path_.string());
    }
  }
  place_ = enter_unfinished(temporary_);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
  leave_unfinished(place_);
}

void AtomicFile::write(std::string_view text) {
  buffer_.append(text);
  size_ += static_cast<std::int64_t>(text.size());
  if (buffer_.size() >= write_buffer_bytes) flush();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (bytes.size() < write_buffer_bytes) {
    write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    return;
  }
  flush();
  write_all(fd_, bytes, size_, path_, nothing_left);
  size_ += static_cast<std::int64_t>(bytes.size());
}

void AtomicFile::flush() {
  if (buffer_.empty()) return;
  write_all(fd_, std::as_bytes(std::span(buffer_)),
            size_ - static_cast<std::int64_t>(buffer_.size()), path_, nothing_left);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (uninterrupted([&] { return ::fsync(fd_); }) != 0) {
    fail_errno(errno, "cannot write", path_.string());
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail_errno(errno, "cannot rename the finished file to this name", path_.string());
  }
  leave_unfinished(place_);
  ::close(fd_);
  fd_ = -1;
  sync_folder_of(path_);
}

void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor opened(open_file(folder, O_RDONLY | O_DIRECTORY));
  // Without the right to list a folder its names cannot be flushed; files in it can be made.
  if (opened.get() < 0 && errno == EACCES) return;
  // Some file systems cannot flush a folder, and say so.
  if (opened.get() >= 0 && (uninterrupted([&] { return ::fsync(opened.get()); }) == 0 ||
                            errno == EINVAL || errno == EROFS || errno == ENOTSUP)) {
    return;
  }
  fail_errno(errno, "cannot flush the name of the finished file to disk", path.string());
}

std::string_view name_of_part(std::string_view temporary) {
  const std::size_t mark = temporary.rfind(part_mark);
  if (mark == std::string_view::npos) return {};
  const std::string_view numbers = temporary.substr(mark + part_mark.size());
  const std::size_t dash = numbers.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dash == std::string_view::npos || !is_number(numbers.substr(0, dash)) ||
      !is_number(numbers.substr(dash + 1))) {
    return {};
  }
  return temporary.substr(0, mark);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void append_file(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file(open_file(path, O_CREAT | O_WRONLY));
  if (file.get() < 0) fail_errno(errno, "cannot open", path.string());
  struct stat before {};
  if (::fstat(file.get(), &before) != 0) fail_errno(errno, "cannot read", path.string());
  try {
    write_all(file.get(), std::as_bytes(std::span(text)), before.st_size, path,
              "the file is as before");
    if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
      fail_errno(errno, "cannot write", path.string());
    }
  } catch (const Error&) {
    // The error is told in any case; a torn line behind it is what this spares.
    (void)!uninterrupted([&] { return ::ftruncate(file.get(), before.st_size); });
    throw;
  }
}

std::vector<std::filesystem::path> list_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (error == std::errc::interrupted) {
    entry = std::filesystem::directory_iterator(path, error);
  }
  std::vector<std::filesystem::path> entries;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) fail_errno(error.value(), "cannot list this folder", path.string());
  return entries;
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_errno(error.value(), "cannot make this folder", path.string());
}

void remove_file(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) fail_errno(error.value(), "cannot remove", path.string());
}

}  // namespace creg
