#include "cli/overview.h"

#include <fmt/format.h>

#include "cli/command_table.h"

namespace creg::cli {
namespace {

constexpr std::size_t screen_columns = 80;

/// The options of the app itself, which every command takes too.
std::string global_flags(const CLI::App& app) {
  constexpr std::string_view indent = "        ";
  std::string text = "all take";
  std::size_t column = text.size();
  for (const CLI::Option* option : app.get_options()) {
    if (option == app.get_help_ptr() || option == app.get_help_all_ptr() ||
        option == app.get_version_ptr()) {
      continue;
    }
    std::string flag = " --" + option->get_lnames().front();
    // Flags that take no value have no type worth showing.
    if (option->get_items_expected_max() > 0) flag += " " + option->get_type_name();
    if (column + flag.size() > screen_columns) {
      text += fmt::format("\n{}", indent);
      column = indent.size();
    }
    text += flag;
    column += flag.size();
  }
  return text + "\n";
}

}  // namespace

std::string overview(const CLI::App& app) {
  std::string text = app.get_description() + "\n\n";
  std::string_view group;
  bool trains = false;
  for (const CommandEntry& entry : command_table()) {
    const auto is_entry = [&](const CLI::App* one) { return one->get_name() == entry.name; };
    if (entry.group.empty() || app.get_subcommands(is_entry).empty()) continue;
    text += fmt::format("{:<8} {:<10} {}\n", entry.group == group ? "" : entry.group, entry.name,
                        entry.about);
    group = entry.group;
    trains = trains || entry.name == "train";
  }
  text += "\n" + global_flags(app);
  text += trains ? "e.g.     creg train --edges edges.csv --features features.npy --out run\n"
                 : "e.g.     creg data get cora && creg data info cora\n";
  text += "more     creg COMMAND --help; creg --help-all explains the options that all take\n";
  return text;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  if (app->get_parent() == nullptr && mode == CLI::AppFormatMode::Normal) return overview(*app);
  return CLI::Formatter::make_help(app, std::move(name), mode);
}

}  // namespace creg::cli
