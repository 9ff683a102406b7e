#include "cli/run_creg.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/temp_dir.h"
#ifdef CREG_HAS_TORCH
#include "cli/computing.h"
#include "ops/runtime.h"
#endif

namespace creg::test {
namespace {

using Words = std::vector<std::string>;

/// What the child does once its outputs, limits and environment are set; it never returns.
using Main = void (*)(int count, char** words);

void execute(int /*count*/, char** words) {
  execv(words[0], words);
  _exit(98);
}

RunResult run(const Words& arguments, const RunOptions& options, Main main) {
  const TempDir dir;
  const std::string out =
      options.stdout_path.empty() ? (dir / "out").string() : options.stdout_path;
  const std::string err = (dir / "err").string();
  Words words = {options.binary.empty() ? CREG_BINARY : options.binary};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  // What waits to be printed here must not be printed there as well.
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot fork");
  if (pid == 0) {
    const int out_fd = ::open(out.c_str(), O_CREAT | O_WRONLY, 0600);
    const int err_fd = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
    if (out_fd < 0 || err_fd < 0 || dup2(out_fd, 1) < 0 || dup2(err_fd, 2) < 0) _exit(99);
    for (const std::string& setting : options.environment) {
      putenv(const_cast<char*>(setting.c_str()));
    }
    if (options.file_size_limit >= 0) {
      const auto bytes = static_cast<rlim_t>(options.file_size_limit);
      const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (options.address_space_limit >= 0) {
      const auto bytes = static_cast<rlim_t>(options.address_space_limit);
      const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
      setrlimit(RLIMIT_AS, &limit);
    }
    // An alarm outlives execv, and nothing in creg catches it.
    if (options.seconds >= 0) alarm(static_cast<unsigned>(options.seconds));
    if (options.before) options.before();
    main(static_cast<int>(words.size()), argv.data());
  }
  if (options.while_running) options.while_running(pid, err);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("cannot wait for creg");
  RunResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.stdout_path.empty()) result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

#ifdef CREG_HAS_TORCH
void call(int count, char** words) {
  const int status = creg_run(count, words);
  std::fflush(nullptr);
  // Not exit: what the tests hold in static objects is not the copy's to destroy.
  _exit(status);
}
#endif

}  // namespace

RunResult run_binary(const Words& arguments, const RunOptions& options) {
  return run(arguments, options, execute);
}

RunResult run_creg(const Words& arguments, const RunOptions& options) {
#ifdef CREG_HAS_TORCH
  // creg would start itself anew for better kernels, but a copy of this process is another program.
  if (missed_blas_kernels().empty()) return run(arguments, options, call);
#endif
  return run_binary(arguments, options);
}

}  // namespace creg::test
