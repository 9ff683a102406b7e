#include "cli/commands.h"

#include <array>

namespace creg::cli {
namespace {

void add_plain_info(CLI::App& app, GlobalOptions& options) {
  add_info(app, options, nullptr);
}

// They are of the library's: what trains knows them.
std::vector<std::string> no_recipes() {
  return {};
}

void add_plain_completion(CLI::App& app, GlobalOptions& options) {
  add_completion(app, options, no_recipes);
}

void add_plain_manual(CLI::App& app, GlobalOptions& options) {
  add_manual(app, options, no_recipes);
}

}  // namespace

std::span<const OwnCommand> plain_commands() {
  static constexpr std::array commands = {
      OwnCommand{"completion", add_plain_completion},
      OwnCommand{"data", add_data},
      OwnCommand{"history", add_history},
      OwnCommand{"info", add_plain_info},
      OwnCommand{"init", add_init},
      OwnCommand{"manual", add_plain_manual},
  };
  return commands;
}

void add_data(CLI::App& app, GlobalOptions& options) {
  CLI::App* data = app.add_subcommand("data");
  data->require_subcommand(1);
  data->fallthrough();
  add_data_list(*data, options);
  add_data_get(*data, options);
  add_data_info(*data, options);
  add_data_convert(*data, options);
  add_data_split(*data, options);
  add_data_partition(*data, options);
}

}  // namespace creg::cli
