#include "train/loop/batch_updates.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace creg {
namespace {

// A row of float64 per batch: StepStatistics::values, the anchors; and one before them per rank,
// with whether it was stopped.
constexpr auto numbers_of_batch = static_cast<std::int64_t>(StepSums::means.size()) + 1;

at::Tensor row_of(const StepStatistics& step) {
  return at::cat(
      {step.values.cpu(), at::full({1}, static_cast<double>(step.anchors), at::kDouble)});
}

}  // namespace

BatchUpdates::BatchUpdates(Communicator* world, TrainingStep& step, EpochSteps& steps)
    : alone_(world == nullptr ? std::make_unique<Communicator>() : nullptr),
      world_(world == nullptr ? *alone_ : *world),
      step_(step),
      steps_(steps),
      sum_(world_, step.gradient_numbers()) {}

BatchUpdates::Done BatchUpdates::run(int epoch, std::int64_t first, std::int64_t count,
                                     bool stopped) {
  step_.begin_update(epoch);
  std::vector<at::Tensor> own{at::full({numbers_of_batch}, stopped ? 1.0 : 0.0, at::kDouble)};
  for (std::int64_t done = 0; done < count; done += world_.size()) {
    const auto ranks = static_cast<int>(std::min<std::int64_t>(world_.size(), count - done));
    at::Tensor gradient;
    if (world_.rank() < ranks) {
      const std::uint32_t draw = steps_.draw(epoch, first + done + world_.rank());
      own.push_back(row_of(step_.gradient(steps_.next(), epoch, draw, gradient)));
    }
    sum_.add(gradient, ranks);
  }
  Done result = gather(own, count);
  const at::Tensor gradient = sum_.take();
  at::Tensor sigma = at::zeros({}, at::kDouble);
  for (std::size_t i = 0; i < result.batches.size(); ++i) {
    StepStatistics& batch = result.batches[i];
    batch.epoch = epoch;
    batch.lr = step_.optimiser().lr();
    const EpochStatistics seen = on_host(batch);
    if (result.not_finite < 0 && !std::isfinite(seen.loss)) result.not_finite = static_cast<int>(i);
    sigma += seen.positive_sigma / static_cast<double>(count);
  }
  if (result.not_finite < 0) step_.update(gradient.mul_(1.0 / static_cast<double>(count)), sigma);
  return result;
}

BatchUpdates::Done BatchUpdates::gather(const std::vector<at::Tensor>& own, std::int64_t count) {
  const std::int64_t size = world_.size();
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> first_row;
  std::int64_t all_rows = 0;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    rows.push_back(1 + (count + size - 1 - rank) / size);
    first_row.push_back(all_rows);
    all_rows += rows.back();
  }
  const at::Tensor all = world_.all_gather(at::stack(own), rows);
  Done done;
  for (const std::int64_t row : first_row) done.stopped |= all[row][0].item<double>() != 0;
  for (std::int64_t batch = 0; batch < count; ++batch) {
    const at::Tensor row = all[first_row[batch % size] + 1 + batch / size];
    StepStatistics statistics;
    statistics.values = row.narrow(0, 0, numbers_of_batch - 1).clone();
    statistics.anchors = static_cast<std::int64_t>(row[numbers_of_batch - 1].item<double>());
    done.batches.push_back(std::move(statistics));
  }
  return done;
}

}  // namespace creg
