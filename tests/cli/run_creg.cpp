#include "cli/run_creg.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "support/temp_dir.h"

namespace creg::test {

RunResult run_creg(const std::vector<std::string>& arguments, const RunOptions& options) {
  const TempDir dir;
  const std::string out =
      options.stdout_path.empty() ? (dir / "out").string() : options.stdout_path;
  const std::string err = (dir / "err").string();
  std::vector<std::string> words = {CREG_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

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
    execv(CREG_BINARY, argv.data());
    _exit(98);
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

}  // namespace creg::test
