#include "learn/linear/logistic_newton.h"

#include <algorithm>
#include <cmath>

namespace creg::learn {
namespace {

constexpr double step_accuracy = 0.1;  // how well the Newton equations are solved
constexpr double least_decrease = 1e-4;
constexpr double least_step = 1e-10;

}  // namespace

LogisticNewton::LogisticNewton(const Context& context, const DenseMatrix& values,
                               std::span<const std::int32_t> rows, const ClassTargets& classes)
    : context_(context),
      classes_(classes),
      blocks_(context, values, rows, classes.outputs()),
      first_class_(classes.outputs() == 1 ? 1 : 0) {
  const auto size = static_cast<std::size_t>(blocks_.coefficients());
  for (AlignedVector* vector : {&x_, &gradient_, &step_, &residual_, &direction_, &product_}) {
    vector->assign(size, 0.0);
  }
  const auto scores = static_cast<std::size_t>(blocks_.rows() * blocks_.cols());
  for (AlignedVector* vector : {&scores_, &curvature_, &step_scores_}) vector->assign(scores, 0.0);
  const auto cols = static_cast<std::size_t>(blocks_.cols());
  values_.assign(cols, 0.0);
  chunk_losses_.resize(static_cast<std::size_t>(blocks_.chunks()) * cols);

  Columns positive(cols, 0.0);
  for (const std::int32_t target : classes.targets) {
    const std::int32_t column = target - first_class_;
    if (column >= 0) ++positive[static_cast<std::size_t>(column)];
  }
  const auto count = static_cast<double>(blocks_.rows());
  for (const double p : positive) rarer_side_.push_back(std::max(1.0, std::min(p, count - p)));
  evaluate();
  start_gradient_norm_ = dots(gradient_, gradient_);
  for (double& norm : start_gradient_norm_) norm = std::sqrt(norm);
}

LinearModel LogisticNewton::model() const {
  return to_model(classes_.classes, blocks_.features(), blocks_.outputs(), blocks_.cols(),
                  x_.data());
}

void LogisticNewton::solve(double c, double tolerance, int max_iterations,
                           const std::function<void()>& each_iteration) {
  c_ = c;
  evaluate();
  const auto outputs = static_cast<std::size_t>(blocks_.outputs());
  const auto count = static_cast<double>(blocks_.rows());
  std::vector<char> active(static_cast<std::size_t>(blocks_.cols()), 0);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Columns squares = dots(gradient_, gradient_);
    bool any = false;
    for (std::size_t j = 0; j < outputs; ++j) {
      const double enough = tolerance * rarer_side_[j] / count * c * start_gradient_norm_[j];
      active[j] = std::sqrt(squares[j]) > enough ? 1 : 0;
      any = any || active[j] != 0;
    }
    if (!any) return;
    find_step(active);
    const Columns lengths = search_along(active);
    // Rounding leaves nothing to gain.
    if (std::all_of(lengths.begin(), lengths.end(), [](double t) { return t == 0; })) return;
    add_columns(lengths, step_, x_);
    evaluate();
    context_.throw_if_stopped();
    if (each_iteration) each_iteration();
  }
}

// Values, gradient, scores and curvature at x_.
void LogisticNewton::evaluate() {
  const std::int64_t cols = blocks_.cols();
  std::fill(chunk_losses_.begin(), chunk_losses_.end(), 0.0);
  blocks_.scores_and_gradient(
      x_,
      [&](std::int64_t chunk, std::int64_t first, std::int64_t count, double* scores) {
        std::copy(scores, scores + count * cols, scores_.data() + first * cols);
        logistic_residuals(count, blocks_.outputs(), cols, classes_.targets.data() + first,
                           first_class_, scores, chunk_losses_.data() + chunk * cols,
                           curvature_.data() + first * cols);
      },
      gradient_);
  values_ = dots(x_, x_);
  for (double& value : values_) value *= 0.5;
  for (std::size_t i = 0; i < chunk_losses_.size(); ++i) {
    values_[i % static_cast<std::size_t>(cols)] += c_ * chunk_losses_[i];
  }
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = x_[i] + c_ * gradient_[i];
}

// Solves (1 + c X' D X) step = -gradient by conjugate gradients, each active column for itself.
void LogisticNewton::find_step(const std::vector<char>& active) {
  const std::int64_t cols = blocks_.cols();
  std::fill(step_.begin(), step_.end(), 0.0);
  for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] = -gradient_[i];
  direction_ = residual_;
  const Columns start = dots(gradient_, gradient_);
  Columns squares = start;
  const std::int64_t most = std::min<std::int64_t>(blocks_.features() + 1, 200);
  for (std::int64_t iteration = 0; iteration < most; ++iteration) {
    std::vector<char> unsolved(active);
    bool any = false;
    for (std::size_t j = 0; j < unsolved.size(); ++j) {
      if (squares[j] <= step_accuracy * step_accuracy * start[j]) unsolved[j] = 0;
      any = any || unsolved[j] != 0;
    }
    if (!any) return;
    blocks_.scores_and_gradient(
        direction_,
        [&](std::int64_t, std::int64_t first, std::int64_t count, double* scores) {
          const double* const weight = curvature_.data() + first * cols;
          for (std::int64_t i = 0; i < count * cols; ++i) scores[i] *= weight[i];
        },
        product_);
    for (std::size_t i = 0; i < product_.size(); ++i) {
      product_[i] = direction_[i] + c_ * product_[i];
    }
    const Columns bend = dots(direction_, product_);
    Columns length(bend.size(), 0.0);
    for (std::size_t j = 0; j < length.size(); ++j) {
      if (unsolved[j] != 0) length[j] = squares[j] / bend[j];
    }
    add_columns(length, direction_, step_);
    for (double& value : length) value = -value;
    add_columns(length, product_, residual_);
    const Columns next = dots(residual_, residual_);
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      const std::size_t j = i % static_cast<std::size_t>(cols);
      if (unsolved[j] != 0) direction_[i] = residual_[i] + next[j] / squares[j] * direction_[i];
    }
    squares = next;
  }
}

// For each active column the first of 1, 1/2, 1/4 … that lowers its value enough; 0 for none.
LogisticNewton::Columns LogisticNewton::search_along(const std::vector<char>& active) {
  const std::int64_t cols = blocks_.cols();
  blocks_.scores(step_,
                 [&](std::int64_t, std::int64_t first, std::int64_t count, const double* scores) {
                   std::copy(scores, scores + count * cols, step_scores_.data() + first * cols);
                 });
  const Columns slope = dots(gradient_, step_);
  const Columns x_x = dots(x_, x_);
  const Columns x_s = dots(x_, step_);
  const Columns s_s = dots(step_, step_);
  Columns length(active.begin(), active.end());
  while (true) {
    Columns losses(length.size(), 0.0);
    logistic_losses_along(blocks_.rows(), blocks_.outputs(), cols, classes_.targets.data(),
                          first_class_, scores_.data(), step_scores_.data(), length.data(),
                          losses.data());
    bool all = true;
    for (std::size_t j = 0; j < length.size(); ++j) {
      const double t = length[j];
      if (t == 0) continue;
      const double value = 0.5 * (x_x[j] + 2 * t * x_s[j] + t * t * s_s[j]) + c_ * losses[j];
      if (value <= values_[j] + least_decrease * t * slope[j]) continue;
      length[j] = t > least_step ? t / 2 : 0;
      all = false;
    }
    if (all) return length;
  }
}

LogisticNewton::Columns LogisticNewton::dots(const AlignedVector& a, const AlignedVector& b) const {
  const auto cols = static_cast<std::size_t>(blocks_.cols());
  Columns sums(cols, 0.0);
  for (std::size_t i = 0; i < a.size(); i += cols) {
    for (std::size_t j = 0; j < cols; ++j) sums[j] += a[i + j] * b[i + j];
  }
  return sums;
}

void LogisticNewton::add_columns(const Columns& factors, const AlignedVector& from,
                                 AlignedVector& to) const {
  const auto cols = static_cast<std::size_t>(blocks_.cols());
  for (std::size_t i = 0; i < from.size(); i += cols) {
    for (std::size_t j = 0; j < cols; ++j) to[i + j] += factors[j] * from[i + j];
  }
}

}  // namespace creg::learn
