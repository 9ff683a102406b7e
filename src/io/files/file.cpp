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

constexpr const char* nothing_changed =
    "what was there before stays; free some space or choose another place";

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

/// Does not wait: a pipe would keep whoever opens it until somebody writes, or for ever.
int open_file(const std::filesystem::path& path, int flags) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666); });
}

struct stat status_of(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_errno(errno, "cannot read", name);
  if (S_ISDIR(status.st_mode)) {
    fail_input({.what = "this is a folder", .file = name, .expected = "a file"});
  }
  if (!S_ISREG(status.st_mode)) {
    fail_input({.what = "not a regular file", .file = name, .expected = "a file"});
  }
  return status;
}

/// The n-th name of a temporary file beside `path`.
std::string part_name(const std::filesystem::path& path, int n) {
  return path.string() + std::string(part_mark) + std::to_string(::getpid()) + "-" +
         std::to_string(n);
}

/// The old file of a name while a new one takes it: out of the way, or under a second name where
/// it must be there until the new one is. Comes back unless it is forgotten.
class OldFile {
 public:
  enum class Kept { out_of_the_way, in_place };

  OldFile(std::filesystem::path path, Kept kept) : path_(std::move(path)) {
    struct stat status {};
    was_there_ = ::lstat(path_.c_str(), &status) == 0;
    if (!was_there_) return;
    std::string name;
    for (int n = 0; name.empty() || ::lstat(name.c_str(), &status) == 0; ++n) {
      name = part_name(path_, n);
    }
    if (kept == Kept::out_of_the_way) {
      if (::rename(path_.c_str(), name.c_str()) != 0) {
        fail_errno(errno, "cannot rename the old file for a while", path_.string());
      }
    } else if (::link(path_.c_str(), name.c_str()) != 0) {
      return;  // not every file system has second names
    }
    name_ = std::move(name);
  }
  OldFile(const OldFile&) = delete;
  OldFile& operator=(const OldFile&) = delete;
  ~OldFile() {
    if (forgotten_) return;
    if (!was_there_) {
      ::unlink(path_.c_str());
    } else if (!name_.empty()) {
      // Of one file under two names neither goes by this. Where it fails the old file stays, by its
      // other name; the error on its way is the one to tell.
      if (::rename(name_.c_str(), path_.c_str()) == 0) ::unlink(name_.c_str());
    }
  }

  void forget() {
    forgotten_ = true;
    if (!name_.empty()) ::unlink(name_.c_str());
  }

 private:
  std::filesystem::path path_;
  std::string name_;
  bool was_there_ = false;
  bool forgotten_ = false;
};

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
  const struct stat status = status_of(file.get(), name);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return Bytes::from_string("", name);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) fail_errno(errno, "cannot map", name);
  const std::span bytes(static_cast<const std::byte*>(address), size);
  return {.name = name, .data = bytes, .owner = std::make_shared<const Mapping>(bytes, name)};
}

void check_replaceable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) {
    fail_input({.what = "a folder has this name", .file = path.string(), .expected = "a file"});
  }
  fail_input({.what = "this is no regular file, and is not replaced",
              .file = path.string(),
              .expected = "the name of a file, or a new one"});
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  check_replaceable(path_);
  // A leftover of a killed process with the same number keeps its name; ours takes the next.
  for (int attempt = 0; fd_ < 0; ++attempt) {
    temporary_ = part_name(path_, attempt);
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
  write_all(fd_, bytes, size_, path_, nothing_changed);
  size_ += static_cast<std::int64_t>(bytes.size());
}

void AtomicFile::flush() {
  if (buffer_.empty()) return;
  write_all(fd_, std::as_bytes(std::span(buffer_)),
            size_ - static_cast<std::int64_t>(buffer_.size()), path_, nothing_changed);
  buffer_.clear();
}

void AtomicFile::finish() {
  flush();
  if (uninterrupted([&] { return ::fsync(fd_); }) != 0) {
    fail_errno(errno, "cannot write", path_.string());
  }
}

void AtomicFile::take_name() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail_errno(errno, "cannot rename the finished file to this name", path_.string());
  }
  close_finished();
}

void AtomicFile::close_finished() {
  leave_unfinished(place_);
  ::close(fd_);
  fd_ = -1;
}

void AtomicFile::commit() {
  finish();
  take_name();
  sync_folder_of(path_);
}

void AtomicFile::commit_new() {
  finish();
  if (::link(temporary_.c_str(), path_.c_str()) == 0) {
    ::unlink(temporary_.c_str());
    close_finished();
  } else if (errno == EEXIST) {
    fail_input(
        {.what = "there is such a file already, and it is not replaced", .file = path_.string()});
  } else if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) {
    take_name();  // a file system without second names
  } else {
    fail_errno(errno, "cannot give the finished file this name", path_.string());
  }
  sync_folder_of(path_);
}

AtomicPair::AtomicPair(const std::filesystem::path& file, std::filesystem::path beside, bool wanted)
    : file_(file), beside_path_(std::move(beside)) {
  if (is_there(beside_path_) && !is_there(file)) {
    fail_input({.what = "this file would be replaced, and it tells of none that is there",
                .file = beside_path_.string(),
                .expected = "beside it " + file.string() + ", or no such file",
                .hint = "move it away, or choose another name for the output"});
  }
  check_replaceable(beside_path_);
  if (wanted) beside_.emplace(beside_path_);
}

void AtomicPair::commit() {
  file_.finish();
  if (beside_) beside_->finish();
  OldFile old_beside(beside_path_, OldFile::Kept::out_of_the_way);
  OldFile old_file(file_.path(), OldFile::Kept::in_place);
  file_.take_name();
  if (beside_) beside_->take_name();
  old_file.forget();
  old_beside.forget();
  sync_folder_of(file_.path());
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
  if (file.get() < 0) {
    check_replaceable(path);
    fail_errno(errno, "cannot open", path.string());
  }
  const struct stat before = status_of(file.get(), path.string());
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
