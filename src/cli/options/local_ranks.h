// `--devices N`: the command starts itself N times on this machine, as a launcher would.
#pragma once

#include <string>
#include <vector>

#include "creg/core/context.h"

namespace creg::cli {

/// Runs the command line `words`, which has --devices, as so many ranks, with --distributed in its
/// place and the variables of torchrun. Rank 0 has this process's outputs; of the others it is
/// printed what they said where they end worse than rank 0. What stops the Context is handed on to
/// all; the others do not outlive the first that fails by more than some seconds. Returns the exit
/// status of rank 0 or, where that is 0, the first other one.
int run_local_ranks(const Context& context, const std::vector<std::string>& words, int ranks);

}  // namespace creg::cli
