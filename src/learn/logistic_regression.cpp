#include "learn/logistic_regression.h"

#include <algorithm>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "kernels/vectors.h"
#include "learn/linear/class_targets.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

class Loss {
 public:
  Loss(const Context& context, const LabelledRows& data, const learn::ClassTargets& classes,
       double c)
      : blocks_(context, data.values, data.rows, classes.outputs()),
        targets_(classes.targets),
        strength_(1 / c),
        losses_(static_cast<std::size_t>(blocks_.chunks() * blocks_.cols())) {}

  const learn::RowBlocks& blocks() const { return blocks_; }

  double operator()(std::span<const double> x, std::span<double> gradient) {
    std::fill(losses_.begin(), losses_.end(), 0.0);
    blocks_.scores_and_gradient(
        x,
        [&](std::int64_t chunk, std::int64_t first, std::int64_t count, double* scores) {
          residuals(chunk, first, count, scores);
        },
        gradient);
    double value = 0;
    for (const double loss : losses_) value += loss;
    const std::int64_t penalised = blocks_.features() * blocks_.cols();
    value += 0.5 * strength_ * learn::dot_product(penalised, x.data(), x.data());
    learn::add_scaled(penalised, strength_, x.data(), gradient.data());
    return value;
  }

 private:
  void residuals(std::int64_t chunk, std::int64_t first, std::int64_t count, double* scores) {
    const std::int32_t* const targets = targets_.data() + first;
    double* const losses = losses_.data() + chunk * blocks_.cols();
    if (blocks_.outputs() == 1) {
      learn::logistic_residuals(count, 1, blocks_.cols(), targets, 1, scores, losses, nullptr);
    } else {
      losses[0] +=
          learn::softmax_residuals(count, blocks_.outputs(), blocks_.cols(), targets, scores);
    }
  }

  learn::RowBlocks blocks_;
  std::span<const std::int32_t> targets_;
  double strength_;
  std::vector<double> losses_;  // per chunk and column
};

void check_strength(double c) {
  if (c > 0) return;
  fail_input({.what = "the inverse strength of the penalty is not positive",
              .found = std::to_string(c),
              .expected = "a number above 0"});
}

}  // namespace

LogisticFit fit_logistic_regression(const Context& context, const LabelledRows& data,
                                    const LogisticOptions& options) {
  check_strength(options.c);
  learn::ClassTargets classes = learn::class_targets(data);
  if (classes.outputs() == 0) {
    return {.model = {.classes = std::move(classes.classes), .features = data.values.cols}};
  }
  Loss loss(context, data, classes, options.c);
  learn::AlignedVector x(static_cast<std::size_t>(loss.blocks().coefficients()), 0.0);
  const LbfgsResult result =
      minimise_lbfgs([&](auto at, auto gradient) { return loss(at, gradient); }, x,
                     {.max_iterations = options.max_iterations,
                      .gradient_tolerance = options.tolerance,
                      .each_iteration = [&] {
                        context.throw_if_stopped();
                        if (options.each_iteration) options.each_iteration();
                      }});
  return {.model = learn::to_model(std::move(classes.classes), data.values.cols,
                                   loss.blocks().outputs(), loss.blocks().cols(), x.data()),
          .result = result};
}

LogisticObjective logistic_objective(const Context& context, const LabelledRows& data,
                                     const LinearModel& model, double c) {
  check_strength(c);
  learn::ClassTargets classes = learn::class_targets(data);
  invariant(classes.classes == model.classes && model.features == data.values.cols,
            "the model has the classes and the width of the rows");
  if (classes.outputs() == 0) return {.gradient = model};
  Loss loss(context, data, classes, c);
  const learn::AlignedVector x = learn::from_model(model);
  learn::AlignedVector gradient(x.size());
  const double value = loss(x, gradient);
  return {.value = value,
          .gradient = learn::to_model(model.classes, model.features, model.outputs(),
                                      loss.blocks().cols(), gradient.data())};
}

}  // namespace creg
