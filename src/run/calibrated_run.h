// All that is measured of one embedding's calibration.
#pragma once

#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "report/calibration_report.h"

namespace creg {

/// Pairs, lengths and, where there are labels, spectrum, bound and the calibration of a classifier
/// on split number `split` of the protocol; labels that make no split leave that one out, with the
/// reason. The direction of Contrast-Reg is left to the caller.
CalibratedRun calibrated_run(const Context& context, const Graph& graph,
                             const DenseMatrix& embedding, const PairOptions& pairs,
                             const PairCalibrationOptions& options, const std::string& protocol,
                             int split);

}  // namespace creg
