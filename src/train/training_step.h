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

/// The Context for work that Ctrl-C does not cut short.
Context without_stop(const Context& context);

/// The graph with its features as the config wants them, or such as are made of its structure
/// (train/made_features.h); where none are made, a graph without any is an input error.
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
  /// parameters and the optimiser's moments stay as they were. No number comes to the host; the
  /// statistics' values are good until the next step.
  StepStatistics run(const GraphInputs& inputs, int epoch, std::uint32_t step);
  // The same in parts, for an update by several batches.

  /// What every step of this epoch begins with.
  void begin_update(int epoch);
  /// The gradient of one batch, float32 [gradient_numbers()]; nothing is changed by it.
  StepStatistics gradient(const GraphInputs& inputs, int epoch, std::uint32_t step,
                          at::Tensor& gradient);
  /// Trained parameters, and one more for each: whether it has a gradient.
  std::int64_t gradient_numbers() const;
  /// By the mean gradient of the batches, and the mean sigma of their positives.
  void update(const at::Tensor& gradient, const at::Tensor& positive_sigma);

  /// On a GPU steps that are alike are recorded and started again; the results are the same
  /// without.
  void record(bool wanted) { record_ = wanted; }
  /// A float32 of one value on the device. Once it is not finite, no step changes parameters,
  /// moments or the ratio.
  const at::Tensor& halt() const { return halt_; }
  /// Whether parameters, moments and ratio are those after a whole step: false where one failed
  /// while it changed them.
  bool is_whole() const { return whole_; }
  /// How many were started from a recording.
  std::int64_t steps_from_recordings() const { return recorder_.started(); }
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
  /// A batch's loss and the mean sigma of its positives, detached.
  struct Loss {
    at::Tensor total;
    at::Tensor positive_sigma;
  };
  /// The gradients of the parameters, and values_.
  Loss backward(const GraphInputs& inputs, int epoch, std::uint32_t step);
  /// All of a step on the device: values_ and what it changes of model and optimiser.
  void compute(const GraphInputs& inputs, int epoch, std::uint32_t step);

  Context context_;
  TrainConfig config_;
  Model model_;
  Adam adam_;
  RatioControl ratio_;
  at::Tensor halt_;
  StepRecorder recorder_;
  bool record_ = true;
  bool whole_ = true;
  at::Tensor values_;  // StepStatistics of the last step
  std::int64_t anchors_ = 0;
};

}  // namespace creg
