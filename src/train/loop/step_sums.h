// The statistics of an epoch from those of its steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "creg/train/trainer.h"

namespace creg {

/// Means over the nodes of all steps. A single step's statistics come back as they are.
class StepSums {
 public:
  void add(const EpochStatistics& step);
  EpochStatistics mean() const;
  std::int64_t steps() const { return steps_; }

  /// For checkpoints: all of it as doubles.
  at::Tensor tensor() const;
  void put_back(const at::Tensor& tensor, std::int64_t steps);

 private:
  /// What is a mean over a step's nodes.
  static constexpr std::array means = {
      &EpochStatistics::loss,           &EpochStatistics::contrast,
      &EpochStatistics::regulariser,    &EpochStatistics::positive_sigma,
      &EpochStatistics::negative_sigma, &EpochStatistics::norm_mean,
      &EpochStatistics::norm_variance,  &EpochStatistics::ratio};
  static constexpr std::size_t nodes = means.size();
  static constexpr std::size_t seconds = means.size() + 1;

  EpochStatistics last_;
  std::array<double, means.size() + 2> sums_{};  // each mean times its nodes, nodes, seconds
  std::int64_t steps_ = 0;
};

}  // namespace creg
