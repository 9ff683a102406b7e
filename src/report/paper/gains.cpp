#include <algorithm>
#include <cmath>
#include <tuple>

#include "creg/core/error.h"
#include "creg/learn/metrics.h"
#include "report/reproduction.h"

namespace creg {
namespace {

/// The share of Student's t within plus and minus `t`, by the finite sums for whole degrees.
double middle_share(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  double term = degrees % 2 == 0 ? 1 : cosine;
  double sum = degrees == 1 ? 0 : term;
  for (int k = degrees % 2 == 0 ? 2 : 3; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  if (degrees % 2 == 0) return sine * sum;
  constexpr double two_over_pi = 0.63661977236758134308;
  return two_over_pi * (angle + sine * sum);
}

auto place_of(const CellValue& value) {
  return std::tuple(value.seed, value.edge_split, value.place);
}

std::vector<double> differences_of(const CellOutcome& with, const CellOutcome& without) {
  std::vector<double> differences;
  for (const CellValue& a : with.values) {
    const auto b =
        std::find_if(without.values.begin(), without.values.end(),
                     [&](const CellValue& other) { return place_of(other) == place_of(a); });
    if (b != without.values.end()) differences.push_back(a.value - b->value);
  }
  return differences;
}

bool is_pair(const PaperCell& with, const PaperCell& without) {
  return without.regulariser == "none" && with.task == without.task &&
         with.method == without.method && with.dataset == without.dataset &&
         with.encoder == without.encoder && with.metric == without.metric &&
         with.algorithm == without.algorithm;
}

}  // namespace

double student_t(int degrees_of_freedom) {
  invariant(degrees_of_freedom >= 1, "a spread is of at least two values");
  constexpr double wanted = 0.95;
  double low = 0;
  double high = 16;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (middle_share(middle, degrees_of_freedom) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

PairedGain gain_of(std::vector<double> differences) {
  PairedGain gain;
  const Summary summary = summarise(differences);
  gain.mean = summary.mean;
  const auto count = static_cast<double>(differences.size());
  if (differences.size() > 1) {
    // The std of the population, of which the sample's is sqrt(n / (n - 1)) times as much.
    const double half =
        student_t(static_cast<int>(differences.size()) - 1) * summary.std / std::sqrt(count - 1);
    gain.low = gain.mean - half;
    gain.high = gain.mean + half;
  }
  gain.differences = std::move(differences);
  return gain;
}

std::vector<PairedGain> paired_gains(std::span<const CellOutcome> outcomes) {
  std::vector<PairedGain> gains;
  for (const CellOutcome& with : outcomes) {
    if (with.cell.regulariser != "contrast" || with.values.empty()) continue;
    const CellOutcome* found = nullptr;
    std::vector<double> differences;
    for (const CellOutcome& without : outcomes) {
      if (!is_pair(with.cell, without.cell) || with.dataset != without.dataset) continue;
      const bool same = without.cell.table == with.cell.table;
      if (found != nullptr && !same) continue;
      std::vector<double> both = differences_of(with, without);
      if (both.empty()) continue;
      found = &without;
      differences = std::move(both);
    }
    if (found == nullptr) continue;
    PairedGain gain = gain_of(std::move(differences));
    gain.with = with.cell;
    // The same runs may stand in several tables.
    const bool told = std::any_of(gains.begin(), gains.end(), [&](const PairedGain& other) {
      return other.with.task == gain.with.task && other.with.method == gain.with.method &&
             other.with.dataset == gain.with.dataset && other.with.encoder == gain.with.encoder &&
             other.with.metric == gain.with.metric && other.differences == gain.differences;
    });
    if (told) continue;
    if (with.cell.mean && found->cell.mean) gain.paper = *with.cell.mean - *found->cell.mean;
    gains.push_back(std::move(gain));
  }
  return gains;
}

}  // namespace creg
