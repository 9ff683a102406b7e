#include "creg/calibration/figures.h"

#include <array>

#include "calibration/embedding_calibration.h"

namespace creg {

std::span<const CalibrationKey> calibration_keys() {
  using Figures = CalibrationFigures;
  static constexpr auto keys = std::to_array<CalibrationKey>({
      {"ece", &Figures::ece},
      {"ece_positive", &Figures::ece_positive},
      {"ece_negative", &Figures::ece_negative},
      {"q_positive", &Figures::q_positive},
      {"q_negative", &Figures::q_negative},
      {"mean_sigma_positive", &Figures::mean_sigma_positive},
      {"mean_sigma_random", &Figures::mean_sigma_random},
      {"ece_reformulated", &Figures::ece_reformulated},
      {"binned_ece", &Figures::binned_ece},
      {"binned_ece_equal_mass", &Figures::binned_ece_equal_mass},
      {"mce", &Figures::mce},
      {"brier", &Figures::brier},
      {"norm_mean", &Figures::norm_mean},
      {"norm_variance", &Figures::norm_variance},
      {"s_f", &Figures::s_f},
      {"s_f_bound", &Figures::s_f_bound},
      {"sigma_max_mean", &Figures::sigma_max_mean},
      {"norm_squared_mean", &Figures::norm_squared_mean},
      {"tau", &Figures::tau},
      {"radius", &Figures::radius},
  });
  return keys;
}

CalibrationFigures figures_of(const EmbeddingCalibration& found) {
  CalibrationFigures out;
  out.mean_sigma_positive = found.pairs.mean_sigma_positive;
  out.mean_sigma_random = found.pairs.mean_sigma_random;
  out.norm_mean = found.norm_mean;
  out.norm_variance = found.norm_variance;
  if (found.pairs.labelled) {
    const LabelledPairs& pairs = *found.pairs.labelled;
    out.ece = pairs.ece.ece();
    out.ece_positive = pairs.ece.positive.error();
    out.ece_negative = pairs.ece.negative.error();
    out.q_positive = pairs.ece.positive.q;
    out.q_negative = pairs.ece.negative.q;
    out.ece_reformulated = pairs.reformulated.ece;
    out.binned_ece = expected_gap(pairs.equal_width);
    out.binned_ece_equal_mass = expected_gap(pairs.equal_mass);
    out.mce = largest_gap(pairs.equal_width);
    out.brier = pairs.brier;
  }
  if (found.spectrum) {
    out.s_f = found.spectrum->s_f;
    out.s_f_bound = found.spectrum->s_f_bound;
    out.sigma_max_mean = found.spectrum->sigma_max_mean;
    out.norm_squared_mean = found.spectrum->norm_squared_mean;
    out.tau = found.spectrum->tau;
    out.radius = found.spectrum->radius;
  }
  return out;
}

}  // namespace creg
