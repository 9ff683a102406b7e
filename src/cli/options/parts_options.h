// The flags that say which nodes are for pretraining and which for fine-tuning.
#pragma once

#include "cli/command_line.h"
#include "creg/run/run.h"

namespace creg::cli {

void add_parts_options(CLI::App& command, PartsSpec& parts);

}  // namespace creg::cli
