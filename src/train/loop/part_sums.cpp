#include "train/loop/part_sums.h"

#include <torch/types.h>

#include <cmath>

#include "train/loop/step_sums.h"

namespace creg {
namespace {

// Places among StepSums::means.
constexpr std::int64_t part_shares = 5;
constexpr std::int64_t part_mean = 5;
constexpr std::int64_t part_variance = 6;
static_assert(StepSums::means[part_shares - 1] == &EpochStatistics::negative_sigma);
static_assert(StepSums::means[part_mean] == &EpochStatistics::norm_mean);
static_assert(StepSums::means[part_variance] == &EpochStatistics::norm_variance);

}  // namespace

std::int64_t add_up_parts(PartExchange& part, at::Tensor& values, std::int64_t anchors) {
  const auto own = static_cast<double>(part.own());
  const at::Tensor counts = at::tensor({own, static_cast<double>(anchors)}, values.options());
  const at::Tensor all = part.ranks().gather(at::cat({values, counts}));
  const std::int64_t length = values.numel();
  const auto rows = all.accessor<double, 2>();
  at::Tensor sums = values.clone();
  auto out = sums.accessor<double, 1>();
  double all_anchors = 0;
  double nodes = 0;
  double mean = 0;
  double squares = 0;  // of distances from the mean
  for (std::int64_t i = 0; i < part_shares; ++i) out[i] = 0;
  for (std::int64_t q = 0; q < all.size(0); ++q) {
    for (std::int64_t i = 0; i < part_shares; ++i) out[i] += rows[q][i];
    const double count = rows[q][length];
    const double distance = rows[q][part_mean] - mean;
    squares += rows[q][part_variance] * (count - 1) +
               distance * distance * nodes * count / (nodes + count);
    mean += distance * count / (nodes + count);
    nodes += count;
    all_anchors += rows[q][length + 1];
  }
  out[part_mean] = mean;
  out[part_variance] = nodes > 1 ? squares / (nodes - 1) : 0;
  values = sums;
  return static_cast<std::int64_t>(all_anchors);
}

void add_up_gradients(PartExchange& part, const std::vector<NamedTensor>& parameters) {
  std::vector<at::Tensor> flat;
  at::Tensor there = at::zeros({static_cast<std::int64_t>(parameters.size())}, at::kFloat);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor& value = parameters[i].value;
    const at::Tensor gradient = value.grad();
    if (gradient.defined()) there[static_cast<std::int64_t>(i)] = 1;
    flat.push_back(gradient.defined() ? gradient.flatten()
                                      : at::zeros({value.numel()}, value.options()));
  }
  flat.push_back(there);
  const at::Tensor sums = part.ranks().sum(at::cat(flat));
  there = sums.narrow(0, sums.numel() - there.numel(), there.numel());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // A handle of its own: it shares the parameter.
    at::Tensor value = parameters[i].value;
    const std::int64_t count = value.numel();
    if (there[static_cast<std::int64_t>(i)].item<float>() > 0) {
      value.mutable_grad() = sums.narrow(0, first, count).view_as(value).clone();
    }
    first += count;
  }
}

}  // namespace creg
