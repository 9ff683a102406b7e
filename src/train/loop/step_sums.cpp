#include "train/loop/step_sums.h"

#include <torch/types.h>

#include <algorithm>
#include <string>

#include "creg/core/error.h"

namespace creg {

void StepSums::add(const EpochStatistics& step) {
  const auto weight = static_cast<double>(step.anchors);
  for (std::size_t i = 0; i < means.size(); ++i) sums_[i] += weight * (step.*means[i]);
  sums_[nodes] += weight;
  sums_[seconds] += step.seconds;
  last_ = step;
  ++steps_;
}

EpochStatistics StepSums::mean() const {
  if (steps_ == 1) return last_;
  EpochStatistics out;
  out.epoch = last_.epoch;
  out.lr = last_.lr;
  for (std::size_t i = 0; i < means.size(); ++i) {
    out.*means[i] = sums_[nodes] > 0 ? sums_[i] / sums_[nodes] : 0;
  }
  out.anchors = static_cast<std::int64_t>(sums_[nodes]);
  out.seconds = sums_[seconds];
  return out;
}

at::Tensor StepSums::tensor() const {
  at::Tensor out = at::empty({static_cast<std::int64_t>(sums_.size())}, at::kDouble);
  std::copy(sums_.begin(), sums_.end(), out.data_ptr<double>());
  return out;
}

void StepSums::put_back(const at::Tensor& tensor, std::int64_t steps) {
  const auto count = static_cast<std::int64_t>(sums_.size());
  if (tensor.scalar_type() != at::kDouble || tensor.numel() != count) {
    fail_input({.what = "the checkpoint does not fit: sums over the batches of an epoch",
                .found = std::to_string(tensor.numel()) + " numbers",
                .expected = std::to_string(count)});
  }
  std::copy_n(tensor.data_ptr<double>(), count, sums_.begin());
  steps_ = steps;
}

}  // namespace creg
