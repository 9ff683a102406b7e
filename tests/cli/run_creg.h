// Runs the creg command and keeps what it printed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace creg::test {

/// One list of words after the other.
inline std::vector<std::string> joined(std::vector<std::string> first,
                                       const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct RunResult {
  int status = -1;  ///< exit status, or 128 + the signal
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::string> environment;   ///< "NAME=value", added to this process's
  std::string stdout_path;                ///< instead of being kept
  std::string binary;                     ///< another than that of the build; for run_binary
  std::int64_t file_size_limit = -1;      ///< bytes: writes beyond it fail as on a full disk
  std::int64_t address_space_limit = -1;  ///< bytes, as by ulimit -v
  std::int64_t seconds = -1;              ///< killed after so many
  /// Called in the new process, before creg.
  std::function<void()> before;
  /// Called with the process and the file that its standard error goes to.
  std::function<void(int pid, const std::string& err)> while_running;
};

/// In a process of its own that is a copy of this one, which has loaded libtorch already: half a
/// second sooner than the binary.
RunResult run_creg(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// The binary itself, from its first instruction.
RunResult run_binary(const std::vector<std::string>& arguments, const RunOptions& options = {});

}  // namespace creg::test
