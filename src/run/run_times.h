// How long runs will take: by what they took here before, else by what they compute.
#pragma once

#include <string>
#include <vector>

#include "creg/core/context.h"
#include "io/run_store.h"
#include "run/reproduce.h"

namespace creg {

/// Sets the seconds of every run that is not done, on one core. Runs that the store knows of this
/// machine come first: the same on other seeds, then the same method and dataset by their epochs,
/// as many as the others took where all of them stopped early. Others are reckoned from their
/// sizes; how much slower this machine is than another tells a short measurement, made only where
/// it is needed and `slowness` is 0, which it sets. Says in words which of these it was.
std::string estimate_times(const Context& context, std::vector<PaperRun>& runs,
                           const std::vector<StoredRun>& known, double& slowness);

/// What a run computes, in seconds on one core of the machine that the figures are of.
double reckoned_seconds(const PaperRun& run);

}  // namespace creg
