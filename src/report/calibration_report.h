// The figures of calibration by name, and what embeddings came to as a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/classifier_calibration.h"
#include "calibration/direction_statistics.h"
#include "calibration/embedding_calibration.h"
#include "calibration/generalisation_bound.h"
#include "report/document.h"

namespace creg {

/// ece, q_positive … by the names that scripts rely on; null where labels are missing.
Record calibration_figures(const EmbeddingCalibration& found);

/// What one embedding came to.
struct CalibratedRun {
  std::string file;
  EmbeddingCalibration embedding;
  std::optional<ClassifierCalibration> classifier;
  std::string no_classifier;  ///< why there is none
  std::optional<BoundResult> bound;
  std::optional<DirectionStatistics> direction;
  std::string no_direction;  ///< why there is none
};

struct CalibrationOutcome {
  std::string dataset;
  std::int64_t nodes = 0;
  std::int64_t labelled = 0;
  PairOptions pairs;
  PairCalibrationOptions options;
  std::string protocol;  ///< of the classifier's split
  std::vector<CalibratedRun> runs;
};

/// Figures are pooled over the runs; what only one run has is shown where there is one. Of
/// several the reliability diagrams are means.
Report calibration_report(const CalibrationOutcome& outcome);

}  // namespace creg
