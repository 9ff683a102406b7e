#include "calibration/reliability.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "creg/core/error.h"

namespace creg {
namespace {

/// Sums of one bin while it is filled.
class Filling {
 public:
  void add(const Forecast& forecast) {
    weight_ += forecast.weight;
    chances_ += forecast.weight * forecast.chance;
    if (forecast.came_true) true_ += forecast.weight;
  }
  double weight() const { return weight_; }

  ReliabilityBin bin(double low, double high) const {
    return {low, high, weight_, chances_ / weight_, true_ / weight_};
  }

 private:
  double weight_ = 0;
  double chances_ = 0;
  double true_ = 0;
};

void check_forecast(const Forecast& forecast) {
  invariant(forecast.chance >= 0 && forecast.chance <= 1 && forecast.weight >= 0,
            "a forecast is a chance in [0, 1] with a weight");
}

std::vector<ReliabilityBin> bins_of_equal_width(std::span<const Forecast> forecasts, int bins) {
  std::vector<Filling> filling(static_cast<std::size_t>(bins));
  for (const Forecast& forecast : forecasts) {
    const int place = static_cast<int>(forecast.chance * bins);
    filling[static_cast<std::size_t>(std::min(place, bins - 1))].add(forecast);
  }
  std::vector<ReliabilityBin> out;
  for (int b = 0; b < bins; ++b) {
    const Filling& one = filling[static_cast<std::size_t>(b)];
    if (one.weight() > 0) {
      out.push_back(one.bin(static_cast<double>(b) / bins, static_cast<double>(b + 1) / bins));
    }
  }
  return out;
}

std::vector<ReliabilityBin> bins_of_equal_mass(std::span<const Forecast> forecasts, int bins) {
  std::vector<std::size_t> order(forecasts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return forecasts[a].chance < forecasts[b].chance;
  });
  double total = 0;
  for (const Forecast& forecast : forecasts) total += forecast.weight;
  std::vector<ReliabilityBin> out;
  Filling filling;
  double low = 0;
  double before = 0;  // the weight of the bins that are closed
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Forecast& forecast = forecasts[order[i]];
    if (filling.weight() == 0) low = forecast.chance;
    filling.add(forecast);
    const bool last = i + 1 == order.size();
    const bool cut = last || forecasts[order[i + 1]].chance > forecast.chance;
    // The bin is full when the weight so far reaches the share of all bins closed and this one.
    const double share = total * static_cast<double>(out.size() + 1) / bins;
    if (cut && filling.weight() > 0 && (last || before + filling.weight() >= share)) {
      before += filling.weight();
      out.push_back(filling.bin(low, forecast.chance));
      filling = {};
    }
  }
  return out;
}

}  // namespace

std::vector<ReliabilityBin> reliability_bins(std::span<const Forecast> forecasts, int bins,
                                             Binning binning) {
  invariant(bins >= 1, "at least one bin");
  for (const Forecast& forecast : forecasts) check_forecast(forecast);
  return binning == Binning::equal_width ? bins_of_equal_width(forecasts, bins)
                                         : bins_of_equal_mass(forecasts, bins);
}

double expected_gap(std::span<const ReliabilityBin> bins) {
  double gaps = 0;
  double weight = 0;
  for (const ReliabilityBin& bin : bins) {
    gaps += bin.weight * std::abs(bin.gap());
    weight += bin.weight;
  }
  return weight > 0 ? gaps / weight : 0;
}

double largest_gap(std::span<const ReliabilityBin> bins) {
  double largest = 0;
  for (const ReliabilityBin& bin : bins) largest = std::max(largest, std::abs(bin.gap()));
  return largest;
}

double brier_score(std::span<const Forecast> forecasts) {
  double squares = 0;
  double weight = 0;
  for (const Forecast& forecast : forecasts) {
    const double error = forecast.chance - (forecast.came_true ? 1.0 : 0.0);
    squares += forecast.weight * error * error;
    weight += forecast.weight;
  }
  return weight > 0 ? squares / weight : 0;
}

}  // namespace creg
