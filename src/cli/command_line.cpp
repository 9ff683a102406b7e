#include "cli/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "cli/commands.h"
#include "cli/run.h"
#include "core/build_info.h"
#include "core/console.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "ops/runtime.h"

namespace creg::cli {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> stop_requested{
    false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void on_interrupt(int /*signal*/) {
  if (stop_requested.exchange(true)) _exit(exit_interrupted);
}

void print_error(std::string_view text) {
  const std::string line = fmt::format("creg: {}\n", text);
  // Nothing better can be done when standard error itself fails.
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

// Every name that could have been meant at the place where parsing stopped.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

const CLI::App& deepest_parsed(const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  return *deepest;
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const CLI::App& where = deepest_parsed(app);
  std::string command = where.get_name();
  for (const CLI::App* up = where.get_parent(); up != nullptr; up = up->get_parent()) {
    command = up->get_name() + " " + command;
  }
  std::string text = error.what();
  // A word that is no subcommand is first noticed as a missing one.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) {
      const std::string word = extras.front().substr(0, extras.front().find('='));
      std::vector<std::string> words = known_words(where);
      if (&where != &app) {
        const std::vector<std::string> global = known_words(app);
        words.insert(words.end(), global.begin(), global.end());
      }
      text = fmt::format("unknown word {}", in_quotes(word));
      const std::vector<std::string> near = nearest_names(word, words);
      if (!near.empty()) text += ": did you mean " + join_words(near, " or ") + "?";
    }
  }
  print_error(fmt::format("{}\n  see {} --help", text, command));
  return exit_bad_input;
}

// OpenBLAS chooses its kernels while the process is loaded, so better ones need a new start. Where
// that fails the work is done all the same, with a warning.
void start_anew_for_better_kernels([[maybe_unused]] const char* const* argv) {
#ifdef CREG_HAS_TORCH
  const std::string kernels = missed_blas_kernels();
  if (kernels.empty() || setenv("OPENBLAS_CORETYPE", kernels.c_str(), 1) != 0) return;
  execv("/proc/self/exe", const_cast<char* const*>(argv));
  unsetenv("OPENBLAS_CORETYPE");
#endif
}

}  // namespace

void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_flag("--json", options.json, "Print one JSON object instead of a table");
  app.add_flag("--quiet,-q", options.quiet, "No progress and no notes, only warnings and errors");
  app.add_option("--progress", options.progress, "How to show progress on standard error")
      ->type_name("auto|bar|lines|json|none")
      ->capture_default_str();
  app.add_option("--log-file", options.log_file, "Also append all messages to this file")
      ->type_name("FILE");
  app.add_option("--threads", options.threads, "Threads; 0 takes all cores")
      ->type_name("T")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of every random draw")
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--data-dir", options.data_dir,
                 "Folder of the datasets; default $CREG_DATA, else the user's cache folder")
      ->type_name("DIR");
}

Context make_context(const GlobalOptions& options) {
  const ProgressMode progress = parse_progress_mode(options.progress);
  const auto console = make_console({.progress = options.quiet ? ProgressMode::none : progress,
                                     .level = options.quiet ? LogLevel::warning : LogLevel::info,
                                     .log_file = options.log_file});
  // The flag outlives every Context: shared without owning it.
  const std::shared_ptr<const std::atomic<bool>> stop(std::shared_ptr<void>(), &stop_requested);
  return Context({.threads = options.threads,
                  .seed = options.seed,
                  .log = console,
                  .progress = console,
                  .stop = stop});
}

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail_errno(errno, "cannot write the result", "standard output");
  }
}

int run(int argc, const char* const* argv) {
  CLI::App app("Node embeddings without labels, calibrated: graph contrastive learning.", "creg");
  app.set_version_flag("--version", "creg " + build_info().version);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  GlobalOptions options;
  add_global_options(app, options);
  add_commands(app, options);
  if (argc == 1) {
    print_result(app.help());
    return exit_bad_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  start_anew_for_better_kernels(argv);

  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A write beyond a file-size limit is then an error of the write, reported as any other.
  std::signal(SIGXFSZ, SIG_IGN);

  try {
    const Context context = make_context(options);
    options.action(context);
    return exit_done;
  } catch (const Error& error) {
    print_error(error.what());
    return error.kind() == ErrorKind::input ? exit_bad_input : exit_failed;
  } catch (const Interrupted&) {
    print_error("stopped");
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    print_error("out of memory\n  take a smaller graph, or a machine with more memory");
    return exit_failed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return exit_failed;
  }
}

}  // namespace creg::cli
