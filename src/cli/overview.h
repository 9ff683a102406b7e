// What `creg --help` shows: the commands in one screenful.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace creg::cli {

/// The commands that `app` has, by the groups of the table, its own options and two examples.
std::string overview(const CLI::App& app);

/// CLI11's help everywhere but at the top, which shows the overview. --help-all is as it was.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace creg::cli
