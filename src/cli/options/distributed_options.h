// Commands that several processes run together.
#pragma once

#include <functional>
#include <memory>

#include "cli/command_line.h"
#include "comm/communicator.h"
#include "creg/core/context.h"

namespace creg::cli {

struct DistributedOptions {
  bool distributed = false;
  double timeout_seconds = CommunicatorOptions().timeout_seconds;
  int devices = 0;  ///< processes to be started here; 0: none
};

/// --distributed and --dist-timeout.
void add_distributed_options(CLI::App& command, DistributedOptions& chosen);
/// --devices; after the others.
void add_devices_option(CLI::App& command, DistributedOptions& chosen);

/// What the launcher says of this process; an input error where it says nothing.
RankLaunch launched_rank();

/// The Context of a rank: the cores of its host are shared by the ranks there, unless --threads
/// says how many each has; rank 0 alone shows progress and notes.
Context context_of_rank(const Context& context, const GlobalOptions& globals,
                        const RankLaunch& launch);

/// Meets the other ranks and does the work with them; they learn why it failed, where it did. Ranks
/// part when it is done, unless the work did that.
void with_ranks(const Context& context, const RankLaunch& launch, const DistributedOptions& chosen,
                const std::function<void(const std::shared_ptr<Communicator>&)>& work);

}  // namespace creg::cli
