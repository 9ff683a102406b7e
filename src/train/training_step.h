// One step of Algorithm 1: forward, loss, backward, Adam. The trainer and the benchmark of whole
// epochs run this same step.
#pragma once

#include <cstdint>
#include <memory>

#include "contrast/contrast_reg.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/methods/method.h"
#include "creg/train/config.h"
#include "creg/train/trainer.h"
#include "ops/step_recorder.h"
#include "train/loop/ratio_control.h"
#include "train/loop/step_sums.h"
#include "train/optimiser.h"

namespace creg {

/// The graph with its features as the config wants them; one without features is an input error.
Graph with_prepared_features(const Context& context, Graph graph, const TrainConfig& config);

/// Encoder, method and regulariser with one list of parameters.
struct Model {
  /// `graph` has prepared features. The Context's seed decides how the parameters start.
  Model(const Context& context, const TrainConfig& config, const Graph& graph);

  ParameterList parameters;
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<Method> method;
  std::unique_ptr<ContrastReg> regulariser;  ///< null without Contrast-Reg
};

class TrainingStep {
 public:
  /// `graph` has prepared features. The Context's seed decides every random draw.
  TrainingStep(const Context& context, const Graph& graph, const TrainConfig& config);

  /// Trains on `inputs` as part of epoch number `epoch` and says how it went; `seconds` is left to
  /// the caller. `step` tells the random draws of steps apart. Where the loss is not finite, the
  /// parameters and the optimiser's moments stay as they were. No number comes to the host.
  StepStatistics run(const GraphInputs& inputs, int epoch, std::uint32_t step);
  /// On a GPU steps that are alike are recorded and started again; the results are the same
  /// without.
  void record(bool wanted) { record_ = wanted; }
  /// Whether a round of the method starts with this epoch.
  bool starts_round(int epoch) const;

  Model& model() { return model_; }
  const Model& model() const { return model_; }
  Adam& optimiser() { return adam_; }
  const Adam& optimiser() const { return adam_; }

  /// The weight of Contrast-Reg in the next step: what a checkpoint keeps of an automatic one.
  double ratio() const;
  void set_ratio(double ratio) { ratio_.set(ratio); }

 private:
  /// The learning rate by the schedule as a share of the run's.
  double schedule_rate(int epoch) const;
  /// Whether this step may be started from the recording of another.
  bool repeats(const GraphInputs& inputs, int epoch) const;
  /// All of a step on the device: values_ and what it changes of model and optimiser.
  void compute(const GraphInputs& inputs, int epoch, std::uint32_t step);

  Context context_;
  TrainConfig config_;
  Model model_;
  Adam adam_;
  RatioControl ratio_;
  StepRecorder recorder_;
  bool record_ = true;
  at::Tensor values_;  // StepStatistics of the last step
  std::int64_t anchors_ = 0;
};

}  // namespace creg
