// What all subcommands share: the global options, the exit status, and how results are printed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "report/document.h"
#include "report/writers.h"

namespace creg::cli {

/// The exit statuses that scripts rely on.
enum ExitStatus : int {
  exit_done = 0,
  exit_failed = 1,
  exit_bad_input = 2,
  exit_interrupted = 130
};

struct GlobalOptions {
  bool json = false;   ///< --json, the same as --format json
  std::string format;  ///< empty: text
  bool quiet = false;
  std::string progress = "auto";
  std::string log_file;
  int threads = 0;
  std::string device = "auto";
  std::string precision = "fp32";
  std::uint64_t seed = 0;
  std::string data_dir;

  /// Why the library that computes did not load; empty: it was not needed.
  std::string library_problem;

  /// Set by the chosen subcommand while parsing; run after it.
  std::function<void(const Context&)> action;

  /// The command line whole, for an action that starts it anew, and the exit status of one that
  /// went well as far as it could see itself.
  std::vector<std::string> words;
  int status = exit_done;
};

void add_global_options(CLI::App& app, GlobalOptions& options);

/// From here on Ctrl-C, SIGTERM and SIGHUP stop the Contexts made below; a second one ends the
/// process.
void catch_signals();

/// The Context that the global options ask for; Ctrl-C stops it. `best_device` says what
/// `--device auto` takes; null: the CPU.
Context make_context(const GlobalOptions& options, Device (*best_device)() = nullptr);

/// What --format and --json ask for; an input error where they disagree.
ReportFormat report_format(const GlobalOptions& options);

/// Writes a result to standard output; a closed or full output is an environment error.
void print_result(std::string_view text);

/// The same for a report, in the format that was asked for.
void print_report(const Report& report, const GlobalOptions& options);

}  // namespace creg::cli
