#include "cli/commands.h"

#include <array>

namespace creg::cli {
namespace {

void add_plain_info(CLI::App& app, GlobalOptions& options) {
  add_info(app, options, nullptr);
}

}  // namespace

std::span<const OwnCommand> plain_commands() {
  static constexpr std::array commands = {
      OwnCommand{"data", add_data},
      OwnCommand{"history", add_history},
      OwnCommand{"info", add_plain_info},
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
}

}  // namespace creg::cli
