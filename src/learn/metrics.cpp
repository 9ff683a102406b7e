#include "creg/learn/metrics.h"

#include <cmath>
#include <utility>

#include "creg/core/error.h"

namespace creg {

double accuracy(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth) {
  invariant(predicted.size() == truth.size(), "as many predictions as labels");
  if (truth.empty()) return 0;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += predicted[i] == truth[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

Summary summarise(std::vector<double> values) {
  invariant(!values.empty(), "a summary has at least one value");
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.mean = mean, .std = std::sqrt(squares / count), .values = std::move(values)};
}

}  // namespace creg
