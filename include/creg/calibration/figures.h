// How an embedding is calibrated, in the figures that scripts, logs and histories know by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace creg {

/// Nothing where labels are missing. docs/calibration.md says what each is.
struct CalibrationFigures {
  std::optional<double> ece;
  std::optional<double> ece_positive;
  std::optional<double> ece_negative;
  std::optional<double> q_positive;
  std::optional<double> q_negative;
  std::optional<double> mean_sigma_positive;
  std::optional<double> mean_sigma_random;
  std::optional<double> ece_reformulated;
  std::optional<double> binned_ece;
  std::optional<double> binned_ece_equal_mass;
  std::optional<double> mce;
  std::optional<double> brier;
  std::optional<double> norm_mean;
  std::optional<double> norm_variance;
  std::optional<double> s_f;
  std::optional<double> s_f_bound;
  std::optional<double> sigma_max_mean;
  std::optional<double> norm_squared_mean;
  std::optional<double> tau;
  std::optional<double> radius;
};

struct CalibrationKey {
  std::string_view name;
  std::optional<double> CalibrationFigures::*member;
};

/// All of them, in the order in which they are written.
std::span<const CalibrationKey> calibration_keys();

}  // namespace creg
