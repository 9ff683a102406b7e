// Steps of Adam that are made of several batches, on one rank or shared by several.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "train/epoch_steps.h"
#include "train/loop/gradient_sum.h"
#include "train/loop/step_sums.h"
#include "train/training_step.h"

namespace creg {

class BatchUpdates {
 public:
  /// All of these outlive this. Without a world this process has all batches.
  BatchUpdates(Communicator* world, TrainingStep& step, EpochSteps& steps);

  struct Done {
    /// Of the update's batches in their order, from all ranks.
    std::vector<StepStatistics> batches;
    bool stopped = false;  ///< somewhere Ctrl-C was pressed
    /// Of the batches, the first whose loss is not finite: then nothing was changed. -1: none.
    int not_finite = -1;
  };
  /// The batches first … first+count-1 of the epoch, which begin an update. All ranks call it.
  Done run(int epoch, std::int64_t first, std::int64_t count, bool stopped);

 private:
  Done gather(const std::vector<at::Tensor>& own, std::int64_t count);

  std::unique_ptr<Communicator> alone_;
  Communicator& world_;
  TrainingStep& step_;
  EpochSteps& steps_;
  GradientSum sum_;
};

}  // namespace creg
