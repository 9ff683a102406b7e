// Figures of merit, and their summary over splits and seeds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace creg {

/// The fraction of positions where both agree; the spans are of one size. Of nothing it is 0.
double accuracy(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth);

struct Summary {
  double mean = 0;
  double std = 0;  ///< of the population: divided by n
  std::vector<double> values;
};

/// Mean and population standard deviation of at least one value.
Summary summarise(std::vector<double> values);

}  // namespace creg
