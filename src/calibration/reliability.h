// How well predicted chances agree with what happens: bins, their gaps, and scores of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace creg {

/// A predicted chance in [0, 1], whether it came true, and how much it counts.
struct Forecast {
  double chance = 0;
  bool came_true = false;
  double weight = 1;
};

enum class Binning {
  equal_width,  ///< bins of one width over [0, 1]
  equal_mass,   ///< bins of one weight, cut where chances differ: equal chances share a bin
};

struct ReliabilityBin {
  double low = 0;   ///< chances in it lie in [low, high]; the bins of equal width are open above
  double high = 0;  ///< but for the last, which holds 1 itself
  double weight = 0;
  double mean_chance = 0;
  double frequency = 0;  ///< the share of the weight that came true

  /// Signed: above 0 where chances are too high.
  double gap() const { return mean_chance - frequency; }
};

/// Bins without weight are left out.
std::vector<ReliabilityBin> reliability_bins(std::span<const Forecast> forecasts, int bins,
                                             Binning binning);

/// The mean of |gap| by weight; 0 for no bins.
double expected_gap(std::span<const ReliabilityBin> bins);
/// The largest |gap|; 0 for no bins.
double largest_gap(std::span<const ReliabilityBin> bins);
/// The mean of (chance - outcome)² by weight; 0 for no forecasts.
double brier_score(std::span<const Forecast> forecasts);

}  // namespace creg
