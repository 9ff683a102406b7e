// What `creg train` and `creg pretrain` have in common.
#pragma once

#include <string>

#include "cli/options/distributed_options.h"
#include "cli/options/train_options.h"

namespace creg::cli {

struct TrainCommand {
  RunSpec spec;
  std::string out;
  std::string resume;
  bool dry_run = false;
  bool parameters = false;
  bool recipe_template = false;
  DistributedOptions ranks;
};

void train_command(const Context& context, const TrainCommand& command,
                   const GlobalOptions& globals);

/// Whether it is about a graph in parts.
bool is_on_parts(const TrainCommand& command);
/// One process has one part: what it needs the others for is an input error.
[[noreturn]] void refuse_parts_alone(const TrainCommand& command);
/// What each rank would take and send, printed by one of them.
void forecast_parts(const Context& context, const TrainCommand& command,
                    const GlobalOptions& globals, bool prints);
/// As rank `launch.rank`, together with those that have the other parts; only rank 0 prints.
void train_on_parts(const Context& context, const TrainCommand& command,
                    const GlobalOptions& globals, const RankLaunch& launch, Communicator& world);

/// --out, --overwrite, --seeds, --resume and --dry-run.
void add_run_options(CLI::App& command, TrainCommand& chosen);

}  // namespace creg::cli
