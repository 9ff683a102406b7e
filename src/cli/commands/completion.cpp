#include "cli/pages/completion.h"

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/pages/manual.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/run_files.h"

namespace creg::cli {
namespace {

using Recipes = std::vector<std::string> (*)();

/// Without the library only some of the commands are known here.
void require_all_commands(const GlobalOptions& options) {
  if (options.library_problem.empty()) return;
  fail_environment(
      {.what = "the library that knows all commands does not load: " + options.library_problem});
}

void print_or_write(const std::string& text, const std::string& out) {
  if (out.empty()) {
    print_result(text);
  } else {
    check_output_file(out);
    write_file(out, text);
  }
}

std::string completion_script(const std::string& shell, const CommandPage& creg) {
  if (shell == "bash") return bash_completion(creg);
  if (shell == "zsh") return zsh_completion(creg);
  return fish_completion(creg);
}

void write_pages(const std::filesystem::path& folder, const CommandPage& page,
                 const CommandPage& creg) {
  write_file(folder / manual_file_name(page), manual_page(page, creg));
  for (const CommandPage& one : page.below) write_pages(folder, one, creg);
}

}  // namespace

void add_completion(CLI::App& app, GlobalOptions& options, Recipes recipes) {
  CLI::App* command = app.add_subcommand("completion");
  struct Chosen {
    std::string shell;
    std::string out;
  };
  const auto chosen = std::make_shared<Chosen>();
  command->add_option("shell", chosen->shell, "The shell that completes")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->add_option("--out", chosen->out, "The file to write, instead of printing the script")
      ->type_name("FILE");
  command->callback([chosen, &app, &options, recipes] {
    options.action = [chosen, &app, &options, recipes](const Context&) {
      require_all_commands(options);
      print_or_write(completion_script(chosen->shell, command_page(app, recipes())), chosen->out);
    };
  });
}

void add_manual(CLI::App& app, GlobalOptions& options, Recipes recipes) {
  CLI::App* command = app.add_subcommand("manual");
  struct Chosen {
    std::vector<std::string> words;
    std::string out;
  };
  const auto chosen = std::make_shared<Chosen>();
  command->add_option("words", chosen->words, "The command; without it the page of creg itself")
      ->type_name("COMMAND");
  command->add_option("--out", chosen->out, "Write the pages of all commands into this folder")
      ->type_name("DIR");
  command->callback([chosen, &app, &options, recipes] {
    options.action = [chosen, &app, &options, recipes](const Context& context) {
      require_all_commands(options);
      const CommandPage creg = command_page(app, recipes());
      if (chosen->out.empty()) {
        print_result(manual_page(find_page(creg, chosen->words), creg));
        return;
      }
      make_folder(chosen->out);
      write_pages(chosen->out, creg, creg);
      context.log().write(LogLevel::info,
                          "wrote the pages into " + chosen->out + "; man -l reads one");
    };
  });
}

}  // namespace creg::cli
