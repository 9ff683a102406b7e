// `creg info --distributed`: the processes that a launcher started, and how they reach each other.
#pragma once

#include "cli/options/distributed_options.h"

namespace creg::cli {

void show_ranks(const Context& context, const GlobalOptions& globals,
                const DistributedOptions& chosen);

}  // namespace creg::cli
