#include "learn/softmax_probe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "learn/adam.h"
#include "learn/linear/class_targets.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

using learn::AlignedVector;

void draw_weights(const ProbeOptions& options, std::int64_t features, std::int64_t outputs,
                  std::int64_t cols, AlignedVector& x) {
  RandomStream stream(options.seed, Purpose::probe_weights, 0, options.item);
  const double bound = std::sqrt(6.0 / static_cast<double>(features + outputs));
  for (std::int64_t j = 0; j < outputs; ++j) {
    for (std::int64_t k = 0; k < features; ++k) {
      x[static_cast<std::size_t>(k * cols + j)] = bound * (2 * stream.uniform_double() - 1);
    }
  }
}

// The fraction of rows whose highest score, the first of equal ones, is that of their label.
class Validation {
 public:
  Validation(const Context& context, const LabelledRows& data, const learn::ClassTargets& classes)
      : blocks_(context, data.values, data.rows, static_cast<std::int64_t>(classes.classes.size())),
        right_(static_cast<std::size_t>(blocks_.chunks())) {
    for (const std::int32_t row : data.rows) {
      // A label that training never met has no place and is never predicted.
      const auto place = std::find(classes.classes.begin(), classes.classes.end(),
                                   data.labels[static_cast<std::size_t>(row)]);
      targets_.push_back(place - classes.classes.begin());
    }
  }

  double operator()(const AlignedVector& x) {
    std::fill(right_.begin(), right_.end(), 0);
    blocks_.scores(
        x, [&](std::int64_t chunk, std::int64_t first, std::int64_t count, const double* scores) {
          for (std::int64_t i = 0; i < count; ++i) {
            const double* const row = scores + i * blocks_.cols();
            const std::int64_t best = std::max_element(row, row + blocks_.outputs()) - row;
            if (best == targets_[static_cast<std::size_t>(first + i)]) {
              ++right_[static_cast<std::size_t>(chunk)];
            }
          }
        });
    std::int64_t sum = 0;
    for (const std::int64_t right : right_) sum += right;
    return static_cast<double>(sum) / static_cast<double>(targets_.size());
  }

 private:
  learn::RowBlocks blocks_;
  std::vector<std::int64_t> targets_;
  std::vector<std::int64_t> right_;  // per chunk
};

// A model of two outputs as the one output that is their difference.
LinearModel to_probe_model(const learn::ClassTargets& classes, const learn::RowBlocks& blocks,
                           AlignedVector x) {
  const std::int64_t cols = blocks.cols();
  if (blocks.outputs() == 2) {
    for (std::int64_t k = 0; k <= blocks.features(); ++k) {
      double* const pair = x.data() + k * cols;
      pair[0] = pair[1] - pair[0];
    }
  }
  return learn::to_model(classes.classes, blocks.features(), classes.outputs(), cols, x.data());
}

}  // namespace

ProbeFit fit_softmax_probe(const Context& context, const LabelledRows& train,
                           std::span<const std::int32_t> val_rows, const ProbeOptions& options) {
  invariant(options.evaluate_every >= 1, "a probe is evaluated every so many epochs");
  const learn::ClassTargets classes = learn::class_targets(train);
  learn::check_rows(train.values, val_rows);
  const LabelledRows val{.values = train.values, .rows = val_rows, .labels = train.labels};
  if (classes.outputs() == 0) {
    ProbeFit fit{.model = {.classes = classes.classes, .features = train.values.cols}};
    if (!val_rows.empty()) fit.val_accuracy = accuracy(context, fit.model, val);
    return fit;
  }

  learn::RowBlocks blocks(context, train.values, train.rows,
                          static_cast<std::int64_t>(classes.classes.size()));
  Validation validate(context, val, classes);
  AlignedVector x(static_cast<std::size_t>(blocks.coefficients()), 0.0);
  draw_weights(options, blocks.features(), blocks.outputs(), blocks.cols(), x);
  AlignedVector gradient(x.size());
  learn::Adam adam(x.size(), options.learning_rate);
  AlignedVector best = x;
  ProbeFit fit;
  const double scale = 1 / static_cast<double>(blocks.rows());
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    blocks.scores_and_gradient(
        x,
        [&](std::int64_t, std::int64_t first, std::int64_t count, double* scores) {
          learn::softmax_residuals(count, blocks.outputs(), blocks.cols(),
                                   classes.targets.data() + first, scores);
        },
        gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = gradient[i] * scale + options.weight_decay * x[i];
    }
    adam.step(gradient, x);
    if (epoch % options.evaluate_every == 0 && !val_rows.empty()) {
      const double found = validate(x);
      if (!fit.val_accuracy || found > *fit.val_accuracy ||
          (options.latest_of_equal && found == *fit.val_accuracy)) {
        fit.val_accuracy = found;
        fit.epoch = epoch;
        best = x;
      }
    }
    context.throw_if_stopped();
    if (options.each_epoch) options.each_epoch();
  }
  if (!fit.val_accuracy) {
    fit.epoch = options.epochs;
    best = x;
    if (!val_rows.empty()) fit.val_accuracy = validate(x);
  }
  fit.model = to_probe_model(classes, blocks, std::move(best));
  return fit;
}

}  // namespace creg
