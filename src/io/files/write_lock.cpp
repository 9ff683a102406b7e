#include "io/write_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "creg/core/error.h"
#include "io/files/system_call.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval{50};
constexpr std::size_t longest_holder = 100;

fs::path lock_path(const fs::path& place) {
  if (fs::is_directory(place)) return place / folder_lock_name;
  return place.parent_path() / ("." + place.filename().string() + folder_lock_name);
}

/// False when the file under `path` is no longer the one that was opened: its holder removed it.
bool still_there(int fd, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// For those who come later; a lock that cannot say whose it is is still one.
void write_holder(int fd, bool shared) {
  if (::ftruncate(fd, 0) != 0 || shared) return;
  std::array<char, longest_holder / 2> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  const std::string text = std::to_string(::getpid()) + " " + host.data() + "\n";
  static_cast<void>(::pwrite(fd, text.data(), text.size(), 0) < 0);
}

/// "process 4711 on somewhere"; empty where the file does not say.
std::string read_holder(int fd) {
  std::array<char, longest_holder> bytes{};
  const ssize_t size = ::pread(fd, bytes.data(), bytes.size(), 0);
  if (size <= 0) return {};
  const std::string_view text(bytes.data(), static_cast<std::size_t>(size));
  const std::size_t blank = text.find(' ');
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || blank > end) return {};
  const std::string_view process = text.substr(0, blank);
  const std::string_view host = text.substr(blank + 1, end - blank - 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto plain = [&](char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.';
  };
  if (process.empty() || !std::all_of(process.begin(), process.end(), digit) ||
      !std::all_of(host.begin(), host.end(), plain)) {
    return {};
  }
  return "process " + std::string(process) + (host.empty() ? "" : " on " + std::string(host));
}

}  // namespace

WriteLock::WriteLock(const Context& context, const fs::path& place, LockMode mode, LockCall lock)
    : path_(lock_path(place)), lock_(lock), shared_(mode == LockMode::together) {
  bool told = false;
  while (true) {
    // Never through a link: whoever holds the lock writes into the file.
    if (fd_ < 0) {
      fd_ = uninterrupted(
          [&] { return ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666); });
    }
    if (fd_ < 0) {
      // Beside others is how the folder above is held: who may not write there leaves it alone.
      if (shared_ && (errno == EACCES || errno == EROFS)) return;
      fail_errno(errno, "cannot create a file here", path_.string());
    }
    if (lock_(fd_, (shared_ ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) {
      if (still_there(fd_, path_)) {
        write_holder(fd_, shared_);
        return;
      }
      let_go();
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error != EWOULDBLOCK) {
      ::unlink(path_.c_str());
      let_go();
      context.log().write(LogLevel::warning,
                          place.string() +
                              ": this file system has no locks; see to it that no other creg "
                              "writes there meanwhile");
      return;
    }
    if (mode != LockMode::wait) {
      const std::string holder = read_holder(fd_);
      let_go();
      fail_environment({.what = "another process is writing there",
                        .file = place.string(),
                        .found = holder,
                        .hint = "wait until it is done, or choose another place with --out"});
    }
    if (!told) {
      context.log().write(LogLevel::notice,
                          "another process is working in " + place.string() + ": waiting for it");
      told = true;
    }
    if (context.stopped()) {
      let_go();
      throw Interrupted();
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

WriteLock::~WriteLock() {
  if (fd_ < 0) return;
  // Removed while still held, and by the last holder: whoever waits then sees that the name is gone
  // and makes a new one.
  if (!shared_ || lock_(fd_, LOCK_EX | LOCK_NB) == 0) ::unlink(path_.c_str());
  let_go();
}

void WriteLock::let_go() {
  ::close(fd_);
  fd_ = -1;
}

}  // namespace creg
