#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "cli/bus_error.h"
#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/overview.h"
#include "core/build_info.h"
#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "report/writers.h"

namespace creg::cli {
namespace {

/// Whether results are wanted as JSON, from the words as they stand: they may not be understood.
bool asks_for_json(std::span<const char* const> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") return false;
    if (word == "--json" || word == "--format=json") return true;
    if (word == "--format" && i + 1 < words.size() && std::string_view(words[i + 1]) == "json") {
      return true;
    }
  }
  return false;
}

/// `creg help train` is `creg train --help`. A null pointer ends the words, as it ends argv.
std::vector<const char*> without_help_word(std::span<const char* const> words) {
  std::vector<const char*> out(words.begin(), words.end());
  if (out.size() > 1 && std::string_view(out[1]) == "help") {
    out.erase(out.begin() + 1);
    out.push_back("--help");
  }
  out.push_back(nullptr);
  return out;
}

/// Empty parts do not exist.
Field part(std::string key, const std::string& text) {
  return {std::move(key), text.empty() ? Value() : Value(text)};
}

/// Where errors go: standard error and, for those who read JSON, an object on standard output.
class ErrorPrinter {
 public:
  explicit ErrorPrinter(bool json) : json_(json) {}

  /// `text` is for people; its parts, or all of it as `what`, are for machines.
  void print(std::string_view text, const ErrorDetail& detail) const {
    const std::string line = fmt::format("creg: {}\n", printable(text));
    // Nothing better can be done when standard error or standard output itself fails.
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    if (!json_) return;
    const std::string object = to_json_text(
        {{"error", Record{part("what", detail.what), part("file", detail.file),
                          part("place", detail.place), part("found", detail.found),
                          part("expected", detail.expected), part("hint", detail.hint)}}});
    (void)!::write(STDOUT_FILENO, object.data(), object.size());
  }
  void print(const std::string& what, const std::string& hint = {}) const {
    print(hint.empty() ? what : what + "\n  " + hint, {.what = what, .hint = hint});
  }

 private:
  bool json_;
};

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

int report_usage(const CLI::App& app, const CLI::ParseError& error, const ErrorPrinter& errors) {
  const CLI::App& where = deepest_parsed(app);
  const std::vector<std::string> extras = app.remaining(true);
  // The help of a command that there is not: `creg help trian`.
  const bool of_nothing = dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr &&
                          where.get_require_subcommand_min() > 0 && !extras.empty() &&
                          !extras.front().starts_with('-');
  if (error.get_exit_code() == 0 && !of_nothing) return app.exit(error);  // --help, --version
  std::string command = where.get_name();
  for (const CLI::App* up = where.get_parent(); up != nullptr; up = up->get_parent()) {
    command = up->get_name() + " " + command;
  }
  std::string text = error.what();
  // A word that is no subcommand is first noticed as a missing one.
  if (of_nothing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
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
  errors.print(text, fmt::format("see {} --help", command));
  return exit_bad_input;
}

// A command that is only known by name here: whatever follows it is for the library to read.
void add_by_name(CLI::App& app, const CommandEntry& entry) {
  CLI::App* command = app.add_subcommand(std::string(entry.name));
  command->set_help_flag();
  command->set_help_all_flag();
  command->fallthrough(false);
  command->prefix_command();
}

void add_commands(CLI::App& app, GlobalOptions& options, const Program& program) {
  for (const CommandEntry& entry : command_table()) {
    const auto own = std::find_if(program.commands.begin(), program.commands.end(),
                                  [&](const OwnCommand& one) { return one.name == entry.name; });
    if (own != program.commands.end()) {
      own->add(app, options);
    } else if (program.load_library != nullptr) {
      add_by_name(app, entry);
    } else {
      continue;
    }
    app.get_subcommand(std::string(entry.name))->description(std::string(entry.about));
  }
}

// Who does what was asked, as far as the words were understood.
Half chosen_half(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? Half::plain : find_command(chosen.front()->get_name()).half;
}

[[noreturn]] void fail_without(const LoadedLibrary& library, std::string_view command) {
  const std::string about_folders = fmt::format(
      "looked for in {}\n  keep the folders of the build or of the installation together, and see "
      "that libtorch is installed where it was then; LD_LIBRARY_PATH can name other folders",
      library.folders);
  fail_environment({.what = fmt::format("{} needs {}, which does not load: {}", command,
                                        library.file, library.problem),
                    .hint = library.folders.empty() ? library.hint : about_folders});
}

int run_own(const char* const* argv, const Program& program, const GlobalOptions& options,
            Half half) {
  if (program.before_work != nullptr) program.before_work(argv);
  catch_signals();
  // A slip is told before the work.
  explain_bus_errors(report_format(options) == ReportFormat::json);
  const Context context =
      make_context(options, half == Half::computing ? program.best_device : nullptr);
  options.action(context);
  return options.status;
}

int parse_and_run(int argc, const char* const* argv, const Program& program,
                  const ErrorPrinter& errors) {
  CLI::App app(
      fmt::format("creg {}: node embeddings of a graph, learnt without labels and calibrated",
                  build_info().version),
      "creg");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "creg " + build_info().version);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  GlobalOptions options;
  options.words.assign(argv, argv + argc);
  add_global_options(app, options);
  add_commands(app, options, program);
  if (argc == 1) {
    print_result(app.help());
    return exit_bad_input;
  }
  Half half = Half::plain;
  try {
    app.parse(argc, argv);
    half = chosen_half(app);
  } catch (const CLI::CallForAllHelp& error) {
    // Of a command that is here, or of all, of which the library knows more.
    if (!app.get_subcommands().empty() || program.load_library == nullptr) return app.exit(error);
    const LoadedLibrary library = program.load_library();
    return library.run != nullptr ? library.run(argc, argv) : app.exit(error);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, errors);
  }
  if (program.load_library != nullptr && half != Half::plain) {
    const LoadedLibrary library = program.load_library();
    if (library.run != nullptr) return library.run(argc, argv);
    if (half == Half::computing) fail_without(library, app.get_subcommands().front()->get_name());
    options.library_problem = library.problem;
  }
  return run_own(argv, program, options, half);
}

}  // namespace

int run(int argc, const char* const* argv, const Program& program) noexcept {
  const ErrorPrinter errors(asks_for_json({argv, static_cast<std::size_t>(argc)}));
  try {
    const std::vector<const char*> words =
        without_help_word({argv, static_cast<std::size_t>(argc)});
    return parse_and_run(static_cast<int>(words.size()) - 1, words.data(), program, errors);
  } catch (const Error& error) {
    errors.print(error.what(), error.detail());
    return error.kind() == ErrorKind::input ? exit_bad_input : exit_failed;
  } catch (const Interrupted&) {
    errors.print("stopped");
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    errors.print("out of memory", "take a smaller graph, or a machine with more memory");
    return exit_failed;
  } catch (const std::exception& error) {
    errors.print(error.what());
    return exit_failed;
  }
}

}  // namespace creg::cli
