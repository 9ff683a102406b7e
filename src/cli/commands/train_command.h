// What `creg train` and `creg pretrain` have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/parts_options.h"
#include "cli/options/train_options.h"

namespace creg::cli {

struct TrainCommand {
  TrainOptions options;
  std::string out;
  std::string resume;
  int seeds = 0;
  int eval_splits = 0;
  std::optional<std::uint64_t> edge_split;
  std::optional<PartsOptions> pretrain;  ///< train on the part of the graph for pretraining alone
  int calibrate = 0;                     ///< epochs between two looks at the calibration; 0: none
  bool dry_run = false;
  bool parameters = false;
  bool recipe_template = false;
};

void train_command(const Context& context, const TrainCommand& command,
                   const GlobalOptions& globals);

/// --out, --seeds, --resume and --dry-run.
void add_run_options(CLI::App& command, TrainCommand& chosen);

}  // namespace creg::cli
