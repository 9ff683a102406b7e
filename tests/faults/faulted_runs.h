// Runs a command again and again, each time with one call that fails, and judges what it left.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::test {

/// The files below a folder, by their path in it.
using Files = std::map<std::string, std::string>;
Files files_below(const std::filesystem::path& folder);

/// A call that counts, as the fault library logged it.
struct LoggedCall {
  bool failed = false;
  std::string operation;
  std::string file;  ///< of an allocation its size
};

struct FaultedRun {
  RunResult result;
  std::vector<LoggedCall> calls;
};

/// A ring of 50 nodes in three classes with features, as files below `folder`; returns the TOML.
std::string write_small_dataset(const std::filesystem::path& folder, int columns = 3);

/// So many columns that whatever holds them all, or as many numbers per node, takes 64 KB or more.
inline constexpr int wide_columns = 400;

/// A command whose outputs are all below a folder of its own.
class FaultedCommand {
 public:
  /// The clock is that of the fault library. `arguments` is called with the folder; `prepare` fills
  /// it before each run. Outputs that end with .jsonl grow by whole lines, event files
  /// by records.
  FaultedCommand(std::function<std::vector<std::string>(const std::string& folder)> arguments,
                 std::function<void(const std::filesystem::path& folder)> prepare = {},
                 std::string clock = "frozen");

  /// Every call of these operations fails once by the error, each in a run of its own: the command
  /// says which file and why, and each output is the old one or the new one, whole.
  void expect_errors_are_told(std::string_view operation, const std::string& effect) const;

  /// Every call of the operation fails at first, or does half: the outputs are as without.
  void expect_survives(std::string_view operation, const std::string& effect) const;

  /// Every large allocation fails once, each in a run of its own: the command says that memory is
  /// short, or does without, and each output is the old one or the new one, whole. With `every`
  /// only one in so many of them fails.
  void expect_short_memory_is_told(std::size_t every = 1) const;

  /// Killed before each call of the operation, each in a run of its own; then what `go_on` gives
  /// for the folder is run, and the outputs are as without.
  void expect_goes_on_after_kills(
      std::string_view operation,
      const std::function<std::vector<std::string>(const std::string& folder)>& go_on) const;

  /// A file that may be there, whole, when the command fails, and is not when it ends well.
  void let_stay(const std::string& name, std::string bytes);

  /// Both are the old ones, or both are the new ones, whatever failed.
  void belong_together(const std::string& one, const std::string& other);

  std::size_t count(std::string_view operation) const;
  const std::vector<std::string>& arguments() const { return arguments_; }
  /// Of the undisturbed run, in order; and the folder that it works in.
  const std::vector<LoggedCall>& calls() const { return calls_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  /// The command from the beginning.
  FaultedRun run(const std::string& fault) const;
  FaultedRun run(const std::vector<std::string>& arguments, const std::string& fault) const;
  /// What was left but for parts of downloads, which may stay: a later call goes on from there.
  Files take_finished(const std::string& fault) const;
  void expect_whole(const Files& found, const std::string& fault) const;
  void expect_told(const FaultedRun& run, const std::string& reason,
                   const std::string& fault) const;
  void reset() const;

  TempDir dir_;
  std::filesystem::path folder_;
  std::function<void(const std::filesystem::path&)> prepare_;
  std::vector<std::string> arguments_;
  std::string clock_;
  Files before_;
  Files after_;
  Files on_the_way_;
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::vector<LoggedCall> calls_;
};

/// The settings of the fault library, to be added to the environment.
std::vector<std::string> fault_environment(const std::filesystem::path& under,
                                           const std::filesystem::path& log,
                                           const std::string& fault);

}  // namespace creg::test
