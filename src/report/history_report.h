// Calibration over the epochs of runs, and how its parts move together, as a report.
#pragma once

#include <cstdint>
#include <span>

#include "report/document.h"
#include "report/history_figures.h"
#include "report/run_history.h"

namespace creg {

/// `seed` draws the resamples of the correlations' intervals.
Report history_report(std::span<const RunHistory> runs, std::uint64_t seed,
                      SeedLines lines = SeedLines::pooled);

}  // namespace creg
