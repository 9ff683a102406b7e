// What `creg train` and `creg pretrain` have in common.
#pragma once

#include <string>

#include "cli/options/train_options.h"

namespace creg::cli {

struct TrainCommand {
  RunSpec spec;
  std::string out;
  std::string resume;
  bool dry_run = false;
  bool parameters = false;
  bool recipe_template = false;
};

void train_command(const Context& context, const TrainCommand& command,
                   const GlobalOptions& globals);

/// --out, --overwrite, --seeds, --resume and --dry-run.
void add_run_options(CLI::App& command, TrainCommand& chosen);

}  // namespace creg::cli
