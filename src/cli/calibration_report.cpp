#include "cli/calibration_report.h"

namespace creg::cli {

nlohmann::ordered_json calibration_figures(const EmbeddingCalibration& found) {
  nlohmann::ordered_json out;
  const auto& labelled = found.pairs.labelled;
  const auto of_labels = [&](const char* name, auto value) {
    out[name] = labelled ? nlohmann::ordered_json(value(*labelled)) : nullptr;
  };
  const auto of_classes = [&](const char* name, double ClassSpectrum::*member) {
    out[name] = found.spectrum ? nlohmann::ordered_json((*found.spectrum).*member) : nullptr;
  };
  of_labels("ece", [](const LabelledPairs& pairs) { return pairs.ece.ece(); });
  of_labels("ece_positive", [](const LabelledPairs& pairs) { return pairs.ece.positive.error(); });
  of_labels("ece_negative", [](const LabelledPairs& pairs) { return pairs.ece.negative.error(); });
  of_labels("q_positive", [](const LabelledPairs& pairs) { return pairs.ece.positive.q; });
  of_labels("q_negative", [](const LabelledPairs& pairs) { return pairs.ece.negative.q; });
  out["mean_sigma_positive"] = found.pairs.mean_sigma_positive;
  out["mean_sigma_random"] = found.pairs.mean_sigma_random;
  of_labels("ece_reformulated", [](const LabelledPairs& pairs) { return pairs.reformulated.ece; });
  of_labels("binned_ece",
            [](const LabelledPairs& pairs) { return expected_gap(pairs.equal_width); });
  of_labels("binned_ece_equal_mass",
            [](const LabelledPairs& pairs) { return expected_gap(pairs.equal_mass); });
  of_labels("mce", [](const LabelledPairs& pairs) { return largest_gap(pairs.equal_width); });
  of_labels("brier", [](const LabelledPairs& pairs) { return pairs.brier; });
  out["norm_mean"] = found.norm_mean;
  out["norm_variance"] = found.norm_variance;
  of_classes("s_f", &ClassSpectrum::s_f);
  of_classes("s_f_bound", &ClassSpectrum::s_f_bound);
  of_classes("sigma_max_mean", &ClassSpectrum::sigma_max_mean);
  of_classes("norm_squared_mean", &ClassSpectrum::norm_squared_mean);
  return out;
}

}  // namespace creg::cli
