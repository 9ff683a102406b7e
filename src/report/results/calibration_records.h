// What one embedding came to, in the pieces that reports are made of.
#pragma once

#include <optional>

#include "report/calibration_report.h"

namespace creg {

/// One of five figures of the pairs that have intervals.
using PairInterval = Interval LabelledPairs::Intervals::*;

std::optional<Interval> interval_of(const LabelledPairs& pairs, PairInterval which);

/// People see the parts of the ECE, and what the reformulated one leaves out.
Record labelled_record(const LabelledPairs& pairs);
/// Theorem 1; null where there is nothing to say.
Value bound_value(const std::optional<BoundResult>& found);
/// Theorem 2.
Record direction_record(const CalibratedRun& run);
/// All of it, as machines read it.
Record run_record(const CalibratedRun& run);

}  // namespace creg
