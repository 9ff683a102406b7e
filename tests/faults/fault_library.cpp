// Stands between a program and the system, and makes a chosen call fail. For the tests alone: the
// program under test knows nothing of it. A test program is linked with it, any other gets it by
// LD_PRELOAD. What it does stands in the environment:
//
//   CREG_FAULT        OPERATION:N:EFFECT, none: only watch. N counts calls of the operation from 1;
//                     * is every call but those that repeat a failed one. An effect is ENOSPC, EIO,
//                     EINTR, ENOMEM, SHORT (half of the bytes are written), STOP (after the call
//                     the process stops, until SIGCONT) or KILL (it is killed before the call).
//   CREG_FAULT_UNDER  only calls on files below this folder count
//   CREG_FAULT_LOG    gets a line for every call that counts: what happened, the operation, the
//   file CREG_FAULT_CLOCK  frozen: time stands still, so that files that say how long it took are
//   equal
//
// Operations: open write sync rename map close truncate mkdir remove lock, and alloc for memory of
// 64 KB or more. Only what the program calls itself is seen, not what the C library does inside.
#include "faults/fault_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

constexpr std::size_t large_allocation = 64 * 1024;
constexpr std::size_t longest_path = 4096;

enum Operation {
  op_open,
  op_write,
  op_sync,
  op_rename,
  op_map,
  op_close,
  op_truncate,
  op_mkdir,
  op_remove,
  op_lock,
  op_alloc,
  op_count,
};

constexpr std::array<const char*, op_count> operation_names = {
    "open",     "write", "sync",   "rename", "map",  "close",
    "truncate", "mkdir", "remove", "lock",   "alloc"};

enum class Effect { none, error, half, stop, kill };

struct Plan {
  std::atomic<bool> armed{false};
  int operation = op_count;
  long nth = 0;  // 0: every call but repeated ones
  Effect effect = Effect::none;
  int error = 0;
  std::array<char, longest_path> under{};
  int log = -1;
  bool own_clock = false;
  std::atomic<long> tick{0};  // tenths of a second that pass between two looks
  std::atomic<long> passed{0};
  timespec real{};
  timespec steady{};
  std::array<std::atomic<long>, op_count> calls{};
  std::atomic<bool> failed_before{false};
};

Plan plan;

void log_call(const char* happened, Operation operation, const char* path) {
  if (plan.log < 0) return;
  std::array<char, longest_path + 64> line{};
  const int size = std::snprintf(line.data(), line.size(), "%s %s %s\n", happened,
                                 operation_names[operation], path);
  syscall(SYS_write, plan.log, line.data(), static_cast<std::size_t>(size));
}

bool is_chosen(Operation operation, long call) {
  if (operation != plan.operation) return false;
  if (plan.nth > 0) return call == plan.nth;
  const bool repeated = plan.failed_before.load();
  plan.failed_before = !repeated;
  return !repeated;
}

/// What is to happen with this call; errno is set where that is an error.
Effect meet(Operation operation, const char* path) {
  if (!plan.armed) return Effect::none;
  const int before = errno;
  const std::size_t length = std::strlen(plan.under.data());
  if (operation != op_alloc && std::strncmp(path, plan.under.data(), length) != 0) {
    return Effect::none;
  }
  const bool chosen = is_chosen(operation, ++plan.calls[operation]);
  log_call(chosen ? "failed" : "done", operation, path);
  if (chosen && plan.effect == Effect::kill) std::raise(SIGKILL);
  errno = chosen && plan.effect == Effect::error ? plan.error : before;
  return chosen ? plan.effect : Effect::none;
}

Effect meet(Operation operation, int fd) {
  if (!plan.armed) return Effect::none;
  std::array<char, 64> link{};
  std::array<char, longest_path> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
  const int before = errno;
  const ssize_t size = readlink(link.data(), path.data(), path.size() - 1);
  errno = before;
  return size > 0 ? meet(operation, path.data()) : Effect::none;
}

/// True where the allocation is to fail.
bool meet_allocation(std::size_t size) {
  if (size < large_allocation || !plan.armed) return false;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%zu", size);
  if (meet(op_alloc, text.data()) == Effect::none) return false;
  errno = ENOMEM;
  return true;
}

/// After a call that was made.
template <class Result>
Result stop_after(Effect effect, Result result) {
  if (effect == Effect::stop) std::raise(SIGSTOP);
  return result;
}

std::size_t size_of(Effect effect, std::size_t size) {
  return effect == Effect::half && size > 1 ? size / 2 : size;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int error_named(const char* name) {
  if (std::strcmp(name, "ENOSPC") == 0) return ENOSPC;
  if (std::strcmp(name, "EINTR") == 0) return EINTR;
  if (std::strcmp(name, "ENOMEM") == 0) return ENOMEM;
  return EIO;
}

void read_fault(const char* text) {
  std::array<char, 32> operation{};
  std::array<char, 32> nth{};
  std::array<char, 32> effect{};
  if (std::sscanf(text, "%31[^:]:%31[^:]:%31s", operation.data(), nth.data(), effect.data()) != 3) {
    return;
  }
  for (int i = 0; i < op_count; ++i) {
    if (std::strcmp(operation.data(), operation_names[static_cast<std::size_t>(i)]) == 0) {
      plan.operation = i;
    }
  }
  plan.nth = std::strtol(nth.data(), nullptr, 10);
  plan.effect = std::strcmp(effect.data(), "SHORT") == 0  ? Effect::half
                : std::strcmp(effect.data(), "STOP") == 0 ? Effect::stop
                : std::strcmp(effect.data(), "KILL") == 0 ? Effect::kill
                                                          : Effect::error;
  plan.error = error_named(effect.data());
}

int real_open(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  const Effect effect = meet(op_open, path);
  if (effect == Effect::error) return -1;
  return stop_after(effect, real_open(folder, path, flags, mode));
}

}  // namespace

// The names and types of the C library.
// NOLINTBEGIN
extern "C" {

void creg_faults_arm() {
  const char* const log = std::getenv("CREG_FAULT_LOG");
  const char* const under = std::getenv("CREG_FAULT_UNDER");
  if (log == nullptr || under == nullptr) return;
  const char* const fault = std::getenv("CREG_FAULT");
  const char* const time = std::getenv("CREG_FAULT_CLOCK");
  // The same day for every run: some outputs say when they were written.
  plan.real = {.tv_sec = 2'000'000'000, .tv_nsec = 0};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &plan.steady);
  plan.own_clock = time != nullptr;
  plan.tick = plan.own_clock && std::strcmp(time, "ticking") == 0 ? 1 : 0;
  std::snprintf(plan.under.data(), plan.under.size(), "%s", under);
  const int opened = real_open(AT_FDCWD, log, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  // Out of the way of the program's own numbers.
  plan.log = fcntl(opened, F_DUPFD_CLOEXEC, 200);
  syscall(SYS_close, opened);
  if (fault != nullptr) read_fault(fault);
  plan.armed = true;
}

__attribute__((constructor)) static void arm_when_preloaded() {
  creg_faults_arm();
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_at(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  const Effect effect = meet(op_open, path);
  if (effect == Effect::error) return nullptr;
  return stop_after(effect, next<FILE* (*)(const char*, const char*)>("fopen")(path, mode));
}

FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

int mkstemp(char* name) {
  const Effect effect = meet(op_open, name);
  if (effect == Effect::error) return -1;
  return stop_after(effect, next<int (*)(char*)>("mkstemp")(name));
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const Effect effect = meet(op_write, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, syscall(SYS_write, fd, bytes, size_of(effect, size)));
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  const Effect effect = meet(op_write, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, syscall(SYS_pwrite64, fd, bytes, size_of(effect, size), offset));
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  const Effect effect = meet(op_write, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, syscall(SYS_writev, fd, parts, effect == Effect::half ? 1 : count));
}

int fsync(int fd) {
  const Effect effect = meet(op_sync, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_fsync, fd)));
}

int fdatasync(int fd) {
  const Effect effect = meet(op_sync, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_fdatasync, fd)));
}

int rename(const char* from, const char* to) noexcept {
  const Effect effect = meet(op_rename, to);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_rename, from, to)));
}

/// A second name, by which a new file gets its first one.
int link(const char* from, const char* to) noexcept {
  const Effect effect = meet(op_rename, to);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_link, from, to)));
}

void* mmap(void* address, size_t size, int access, int flags, int fd, off_t offset) noexcept {
  Effect effect = Effect::none;
  if ((flags & MAP_ANONYMOUS) == 0) {
    effect = meet(op_map, fd);
    if (effect == Effect::error) return MAP_FAILED;
  } else if ((access & PROT_WRITE) != 0 && meet_allocation(size)) {
    return MAP_FAILED;
  }
  return stop_after(
      effect, reinterpret_cast<void*>(syscall(SYS_mmap, address, size, access, flags, fd, offset)));
}

void* mmap64(void* address, size_t size, int access, int flags, int fd, off64_t offset) noexcept {
  return mmap(address, size, access, flags, fd, offset);
}

int close(int fd) {
  // A close that fails has closed all the same.
  const Effect effect = meet(op_close, fd);
  const int before = errno;
  const int closed = static_cast<int>(syscall(SYS_close, fd));
  if (effect == Effect::error) {
    errno = before;
    return -1;
  }
  return stop_after(effect, closed);
}

int ftruncate(int fd, off_t size) noexcept {
  const Effect effect = meet(op_truncate, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_ftruncate, fd, size)));
}

int ftruncate64(int fd, off64_t size) noexcept {
  return ftruncate(fd, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
  const Effect effect = meet(op_truncate, fd);
  if (effect == Effect::error) return errno;
  return stop_after(effect, next<int (*)(int, off_t, off_t)>("posix_fallocate")(fd, offset, size));
}

int mkdir(const char* path, mode_t mode) noexcept {
  const Effect effect = meet(op_mkdir, path);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_mkdir, path, mode)));
}

int unlink(const char* path) noexcept {
  const Effect effect = meet(op_remove, path);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_unlink, path)));
}

int remove(const char* path) noexcept {
  const Effect effect = meet(op_remove, path);
  if (effect == Effect::error) return -1;
  return stop_after(effect, next<int (*)(const char*)>("remove")(path));
}

int flock(int fd, int operation) noexcept {
  const Effect effect = meet(op_lock, fd);
  if (effect == Effect::error) return -1;
  return stop_after(effect, static_cast<int>(syscall(SYS_flock, fd, operation)));
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (plan.armed && plan.own_clock && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC)) {
    *time = clock == CLOCK_REALTIME ? plan.real : plan.steady;
    const long passed = plan.passed += plan.tick;
    *time = {.tv_sec = time->tv_sec + passed / 10, .tv_nsec = passed % 10 * 100'000'000};
    return 0;
  }
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

void* malloc(size_t size) noexcept {
  return meet_allocation(size) ? nullptr : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) noexcept {
  return meet_allocation(count * size) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) noexcept {
  return meet_allocation(size) ? nullptr : __libc_realloc(block, size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return meet_allocation(size) ? nullptr : __libc_memalign(alignment, size);
}

void* memalign(size_t alignment, size_t size) noexcept {
  return meet_allocation(size) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  if (meet_allocation(size)) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

}  // extern "C"
// NOLINTEND
