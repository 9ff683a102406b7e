// The statistics of an epoch from those of its steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "creg/train/trainer.h"

namespace creg {

/// What a step says of itself. The numbers stay where they were computed until somebody looks.
struct StepStatistics {
  at::Tensor values;         ///< float64 [StepSums::means.size()], in that order
  std::int64_t anchors = 0;  ///< nodes that they are means over
  int epoch = 0;
  double lr = 0;
  double seconds = 0;
};

/// Means over the nodes of all steps. A single step's statistics come back as they are.
class StepSums {
 public:
  /// What is a mean over a step's nodes.
  static constexpr std::array means = {
      &EpochStatistics::loss,           &EpochStatistics::contrast,
      &EpochStatistics::regulariser,    &EpochStatistics::positive_sigma,
      &EpochStatistics::negative_sigma, &EpochStatistics::norm_mean,
      &EpochStatistics::norm_variance,  &EpochStatistics::ratio};

  void add(const StepStatistics& step);
  /// Brings the numbers to the host.
  EpochStatistics mean() const;
  std::int64_t steps() const { return steps_; }

  /// For checkpoints: all of it as doubles.
  at::Tensor tensor() const;
  void put_back(const at::Tensor& tensor, std::int64_t steps);

 private:
  static constexpr auto count = static_cast<std::int64_t>(means.size());

  StepStatistics last_;
  at::Tensor sums_;         // each mean times its nodes, float64; undefined before the first step
  std::int64_t nodes_ = 0;  // of all steps
  double seconds_ = 0;
  std::int64_t steps_ = 0;
};

/// A step's statistics for people.
EpochStatistics on_host(const StepStatistics& step);

}  // namespace creg
