#include "train/loop/step_sums.h"

#include <torch/types.h>

#include <cmath>
#include <string>

#include "creg/core/error.h"

namespace creg {
namespace {

EpochStatistics with_means(EpochStatistics out, const at::Tensor& values) {
  const at::Tensor here = values.to(at::kCPU).contiguous();
  const auto numbers = here.accessor<double, 1>();
  for (std::size_t i = 0; i < StepSums::means.size(); ++i) {
    out.*StepSums::means[i] = numbers[static_cast<std::int64_t>(i)];
  }
  return out;
}

}  // namespace

EpochStatistics on_host(const StepStatistics& step) {
  EpochStatistics out;
  out.epoch = step.epoch;
  out.anchors = step.anchors;
  out.lr = step.lr;
  out.seconds = step.seconds;
  return with_means(out, step.values);
}

void StepSums::add(const StepStatistics& step) {
  const at::Tensor weighted = step.values * static_cast<double>(step.anchors);
  sums_ = sums_.defined() ? sums_.to(weighted.device()) + weighted : weighted;
  nodes_ += step.anchors;
  seconds_ += step.seconds;
  last_ = step;
  ++steps_;
}

EpochStatistics StepSums::mean() const {
  if (steps_ == 1 && last_.values.defined()) return on_host(last_);
  EpochStatistics out;
  out.epoch = last_.epoch;
  out.lr = last_.lr;
  out.anchors = nodes_;
  out.seconds = seconds_;
  return with_means(out, nodes_ > 0 ? sums_ / static_cast<double>(nodes_) : at::zeros_like(sums_));
}

at::Tensor StepSums::tensor() const {
  const at::Tensor rest =
      at::tensor({static_cast<double>(nodes_), seconds_}, at::dtype(at::kDouble));
  const at::Tensor sums = sums_.defined() ? sums_.to(at::kCPU) : at::zeros({count}, rest.options());
  return at::cat({sums, rest});
}

void StepSums::put_back(const at::Tensor& tensor, std::int64_t steps) {
  if (tensor.scalar_type() != at::kDouble || tensor.numel() != count + 2) {
    fail_input({.what = "the checkpoint does not fit: sums over the batches of an epoch",
                .found = std::to_string(tensor.numel()) + " numbers",
                .expected = std::to_string(count + 2)});
  }
  constexpr double most_nodes = 9e15;  // whole numbers of a double
  const auto nodes = tensor[count].item<double>();
  const auto seconds = tensor[count + 1].item<double>();
  if (!(nodes >= 0 && nodes <= most_nodes && seconds >= 0 && std::isfinite(seconds))) {
    fail_input({.what = "the checkpoint does not fit: sums over the batches of an epoch",
                .found = std::to_string(nodes) + " nodes in " + std::to_string(seconds) + " s",
                .expected = "finite numbers from 0 on"});
  }
  sums_ = tensor.narrow(0, 0, count).clone();
  nodes_ = static_cast<std::int64_t>(nodes);
  seconds_ = seconds;
  steps_ = steps;
}

}  // namespace creg
