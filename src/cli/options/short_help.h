// The help of commands that take every parameter of a run: what most people need.
#pragma once

#include <set>
#include <string>

#include "cli/command_line.h"
#include "creg/run/run.h"

namespace creg::cli {

/// `command --help` shows the flags named in `shown`, or where that is empty all but the parameters
/// and the usual few of these; with --method M the parameters that M looks at; `--help-all` shows
/// everything. Both must outlive the parsing.
void use_short_help(CLI::App& command, const RunSpec& spec,
                    const std::set<std::string>& shown = {});

}  // namespace creg::cli
