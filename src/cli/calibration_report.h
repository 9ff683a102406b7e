// The figures of calibration by name, as JSON and in words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "creg/calibration/embedding_calibration.h"

namespace creg::cli {

/// ece, q_positive … by the names that scripts rely on; null where labels are missing.
nlohmann::ordered_json calibration_figures(const EmbeddingCalibration& found);

}  // namespace creg::cli
