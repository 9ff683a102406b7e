// A linear softmax classifier trained by Adam for a fixed number of epochs, the best of them chosen
// on validation rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "creg/core/context.h"
#include "learn/linear_model.h"

namespace creg {

struct ProbeOptions {
  double learning_rate = 0.01;
  int epochs = 3000;
  double weight_decay = 0;  ///< times the coefficients, intercepts too, is added to the gradient
  int evaluate_every = 20;  ///< epochs between two looks at the validation rows
  bool latest_of_equal = false;
  std::uint64_t seed = 0;  ///< of the first weights, with `item`
  std::uint64_t item = 0;
  std::function<void()> each_epoch;  ///< called after every epoch; may throw to stop
};

struct ProbeFit {
  LinearModel model;
  int epoch = 0;                       ///< after which the model was taken
  std::optional<double> val_accuracy;  ///< of that model; empty without validation rows
};

/// Adam on the mean of -log softmax at the label over all training rows, from Xavier-uniform
/// weights and zero intercepts. The model of the highest validation accuracy is taken, the first of
/// equal ones unless the latest is asked for; without validation rows the last. Bad input as in
/// fit_logistic_regression; the result does not depend on the number of threads.
ProbeFit fit_softmax_probe(const Context& context, const LabelledRows& train,
                           std::span<const std::int32_t> val_rows,
                           const ProbeOptions& options = {});

}  // namespace creg
