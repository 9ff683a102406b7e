#include "cli/options/local_ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/command_line.h"
#include "creg/core/error.h"

extern char** environ;

namespace creg::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Ranks end by themselves, within two seconds, where one of them is lost; who waits for it to come
// does not.
constexpr std::chrono::seconds before_term{5};
constexpr std::chrono::seconds before_kill{15};
constexpr std::chrono::milliseconds between_looks{20};

[[noreturn]] void fail_to_start(const char* what) {
  fail_environment({.what = std::string("cannot start processes: ") + what,
                    .file = "--devices",
                    .found = std::generic_category().message(errno)});
}

/// One that nobody listens at now.
int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail_to_start("no socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool found =
      ::bind(descriptor, plain, length) == 0 && ::getsockname(descriptor, plain, &length) == 0;
  const int port = ntohs(address.sin_port);
  ::close(descriptor);
  if (!found) fail_to_start("no free port");
  return port;
}

std::vector<std::string> words_of_rank(const std::vector<std::string>& words) {
  std::vector<std::string> own;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool with_value = words[i].starts_with("--devices=");
    if (words[i] != "--devices" && !with_value) {
      own.push_back(words[i]);
      continue;
    }
    own.emplace_back("--distributed");
    if (!with_value) ++i;
  }
  return own;
}

/// This process's, without what another launcher may have said.
std::vector<std::string> variables_of_rank(int rank, int ranks, int port) {
  const std::array<std::string, 7> own = {"RANK=" + std::to_string(rank),
                                          "WORLD_SIZE=" + std::to_string(ranks),
                                          "LOCAL_RANK=" + std::to_string(rank),
                                          "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                          "MASTER_ADDR=127.0.0.1",
                                          "MASTER_PORT=" + std::to_string(port),
                                          "CREG_DEVICES=" + std::to_string(ranks)};
  std::vector<std::string> all(own.begin(), own.end());
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view setting(*one);
    const std::string_view name = setting.substr(0, setting.find('=') + 1);
    const bool ours = std::any_of(own.begin(), own.end(),
                                  [&](const std::string& mine) { return mine.starts_with(name); });
    if (!ours && !name.starts_with("TORCHELASTIC_")) all.emplace_back(setting);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Process {
 public:
  Process(const std::vector<std::string>& words, int rank, int ranks, int port) : rank_(rank) {
    std::vector<std::string> arguments = words;
    std::vector<std::string> variables = variables_of_rank(rank, ranks, port);
    const std::vector<char*> argv = pointers_to(arguments);
    const std::vector<char*> envp = pointers_to(variables);
    if (rank > 0) {
      said_ = ::memfd_create("creg-rank", MFD_CLOEXEC);
      if (said_ < 0) fail_to_start("no file for what they say");
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
      if (said_ >= 0) ::close(said_);
      fail_to_start("no process");
    }
    if (pid_ == 0) become(argv.data(), envp.data(), parent);
  }
  Process(Process&& other) noexcept
      : rank_(other.rank_),
        pid_(std::exchange(other.pid_, -1)),
        said_(std::exchange(other.said_, -1)),
        status_(other.status_) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (pid_ > 0 && !status_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (said_ >= 0) ::close(said_);
  }

  /// 128 + the signal for one that was killed; nothing while it runs.
  std::optional<int> look() {
    if (status_) return status_;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return status_;
  }
  int status() const { return *status_; }
  bool runs() const { return !status_; }
  void signal(int number) const {
    if (!status_) ::kill(pid_, number);
  }

  void print_what_it_said() const {
    if (said_ < 0 || ::lseek(said_, 0, SEEK_SET) != 0) return;
    std::array<char, 4096> piece{};
    for (ssize_t read = 0; (read = ::read(said_, piece.data(), piece.size())) > 0;) {
      (void)!::write(STDERR_FILENO, piece.data(), static_cast<std::size_t>(read));
    }
  }

 private:
  /// The new process; nothing here takes memory or a lock, which another thread may have had.
  [[noreturn]] void become(char* const* argv, char* const* envp, pid_t parent) const {
    // Of a group of its own: Ctrl-C in a terminal comes by way of the one that started it, once.
    ::setpgid(0, 0);
    std::signal(SIGTTOU, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(exit_failed);
    if (rank_ > 0) {
      const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(nothing, STDOUT_FILENO) < 0 ||
          ::dup2(said_, STDERR_FILENO) < 0) {
        ::_exit(exit_failed);
      }
    }
    ::execve("/proc/self/exe", argv, envp);
    ::_exit(127);
  }

  int rank_;
  pid_t pid_ = -1;
  int said_ = -1;
  std::optional<int> status_;
};

}  // namespace

int run_local_ranks(const Context& context, const std::vector<std::string>& words, int ranks) {
  const std::vector<std::string> own = words_of_rank(words);
  const int port = free_port();
  std::vector<Process> processes;
  processes.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) processes.emplace_back(own, rank, ranks, port);
  const auto signal_all = [&](int number) {
    for (const Process& one : processes) one.signal(number);
  };
  bool told_to_stop = false;
  std::optional<Clock::time_point> failed;
  while (true) {
    bool running = false;
    for (Process& one : processes) {
      const std::optional<int> status = one.look();
      running |= !status.has_value();
      // After Ctrl-C rank 0 may need a while longer for its checkpoint.
      const bool well = !status || *status == exit_done || *status == exit_interrupted;
      if (!well && !failed) failed = Clock::now();
    }
    if (!running) break;
    if (context.stopped() && !told_to_stop) {
      signal_all(SIGTERM);
      told_to_stop = true;
    }
    if (failed && !told_to_stop && Clock::now() > *failed + before_term) {
      signal_all(SIGTERM);
      told_to_stop = true;
    }
    if (failed && Clock::now() > *failed + before_kill) signal_all(SIGKILL);
    std::this_thread::sleep_for(between_looks);
  }
  int status = processes.front().status();
  for (const Process& one : processes) {
    if (one.status() == exit_done || one.status() == processes.front().status()) continue;
    one.print_what_it_said();
    if (status == exit_done) status = one.status();
  }
  return status;
}

}  // namespace creg::cli
