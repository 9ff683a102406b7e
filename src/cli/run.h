// The whole command, without its main function.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "creg/core/context.h"

namespace CLI {
class App;
}

namespace creg::cli {

struct GlobalOptions;

/// A command of the table (command_table.h) that a program has, and what adds it.
struct OwnCommand {
  std::string_view name;
  void (*add)(CLI::App& app, GlobalOptions& options);
};

/// The library that computes, or why it is not there.
struct LoadedLibrary {
  /// Takes the command line whole and returns the exit status; nullptr: it did not load.
  int (*run)(int argc, const char* const* argv) = nullptr;
  std::string file;     ///< its name
  std::string problem;  ///< the loader's own words
  std::string folders;  ///< where it was looked for; empty: that is not why
  std::string hint;     ///< in place of what folders would need
};

/// What a program can do itself, and who does the rest.
struct Program {
  std::span<const OwnCommand> commands;
  /// nullptr: commands that it has not itself are not offered.
  LoadedLibrary (*load_library)() = nullptr;
  /// Called before the chosen command works.
  void (*before_work)(const char* const* argv) = nullptr;
  /// What `--device auto` takes for a command that computes; nullptr: the CPU.
  Device (*best_device)() = nullptr;
};

/// Parses, runs or hands over, and turns every exception into a message on standard error and an
/// exit status.
int run(int argc, const char* const* argv, const Program& program) noexcept;

}  // namespace creg::cli
