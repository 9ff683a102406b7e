#include "learn/linear/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/rows.h"
#include "kernels/vectors.h"
#include "learn/linear/line_search.h"

namespace creg {
namespace {

using learn::AlignedVector;

// The last steps and the changes of the gradient along them: an approximation of the inverse
// Hessian.
class Memory {
 public:
  Memory(int size, std::size_t n) : size_(static_cast<std::size_t>(size)), n_(n) {}

  bool empty() const { return used_ == 0; }
  void clear() { used_ = 0; }

  /// `turn` is the product of both, which must be positive.
  void add(std::span<const double> step, std::span<const double> change, double turn) {
    if (size_ == 0) return;
    if (entries_.size() < size_ && used_ == entries_.size()) {
      entries_.push_back({.step = AlignedVector(n_), .change = AlignedVector(n_)});
    } else if (used_ == size_) {
      std::rotate(entries_.begin(), entries_.begin() + 1, entries_.end());
      --used_;
    }
    Entry& entry = entries_[used_++];
    std::copy(step.begin(), step.end(), entry.step.begin());
    std::copy(change.begin(), change.end(), entry.change.begin());
    entry.turn = turn;
    const auto n = static_cast<std::int64_t>(n_);
    scale_ = turn / learn::dot_product(n, change.data(), change.data());
  }

  /// direction = -H gradient, by the two-loop recursion.
  void direction(std::span<const double> gradient, std::span<double> direction) const {
    const auto n = static_cast<std::int64_t>(n_);
    for (std::size_t i = 0; i < n_; ++i) direction[i] = -gradient[i];
    if (empty()) return;
    std::vector<double> alpha(used_);
    for (std::size_t e = used_; e-- > 0;) {
      const Entry& entry = entries_[e];
      alpha[e] = learn::dot_product(n, entry.step.data(), direction.data()) / entry.turn;
      learn::add_scaled(n, -alpha[e], entry.change.data(), direction.data());
    }
    for (double& value : direction) value *= scale_;
    for (std::size_t e = 0; e < used_; ++e) {
      const Entry& entry = entries_[e];
      const double beta = learn::dot_product(n, entry.change.data(), direction.data()) / entry.turn;
      learn::add_scaled(n, alpha[e] - beta, entry.step.data(), direction.data());
    }
  }

 private:
  struct Entry {
    AlignedVector step;
    AlignedVector change;
    double turn = 0;
  };
  std::size_t size_;
  std::size_t n_;
  std::vector<Entry> entries_;  // the oldest first; those beyond used_ are spare storage
  std::size_t used_ = 0;
  double scale_ = 1;
};

}  // namespace

LbfgsResult minimise_lbfgs(const Objective& objective, std::span<double> x,
                           const LbfgsOptions& options) {
  const auto n = static_cast<std::int64_t>(x.size());
  AlignedVector gradient(x.size());
  AlignedVector direction(x.size());
  AlignedVector old_x(x.size());
  AlignedVector old_gradient(x.size());
  AlignedVector change(x.size());
  Memory memory(options.memory, x.size());

  LbfgsResult result;
  result.value = objective(x, gradient);
  result.evaluations = 1;
  result.largest_gradient = learn::largest_magnitude(n, gradient.data());
  if (result.largest_gradient <= options.gradient_tolerance) return result;

  while (true) {
    if (result.iterations >= options.max_iterations) {
      result.end = LbfgsEnd::iterations;
      return result;
    }
    memory.direction(gradient, direction);
    std::copy(x.begin(), x.end(), old_x.begin());
    std::copy(gradient.begin(), gradient.end(), old_gradient.begin());
    const double old_value = result.value;
    const double slope = learn::dot_product(n, direction.data(), gradient.data());

    // The length of the very first direction says nothing about that of a good step.
    const double length = std::sqrt(learn::dot_product(n, direction.data(), direction.data()));
    const double first_step = result.iterations == 0 ? std::min(1.0 / length, 1e10) : 1.0;
    bool found = false;
    double step = 0;
    double new_slope = 0;
    if (slope < 0 && std::isfinite(slope)) {
      learn::LineSearch search(old_value, slope, first_step);
      for (int tries = 0; tries < options.max_line_search && !found; ++tries) {
        step = search.step();
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = old_x[i] + step * direction[i];
        result.value = objective(x, gradient);
        ++result.evaluations;
        new_slope = learn::dot_product(n, direction.data(), gradient.data());
        if (!std::isfinite(result.value) || !std::isfinite(new_slope)) break;
        found = search.advance(result.value, new_slope);
      }
    }
    if (!found) {
      // Back to where it was; once more from steepest descent before giving up.
      std::copy(old_x.begin(), old_x.end(), x.begin());
      std::copy(old_gradient.begin(), old_gradient.end(), gradient.begin());
      result.value = old_value;
      if (memory.empty()) {
        result.end = LbfgsEnd::line_search;
        return result;
      }
      memory.clear();
      continue;
    }

    ++result.iterations;
    result.largest_gradient = learn::largest_magnitude(n, gradient.data());
    if (options.each_iteration) options.each_iteration();
    if (result.largest_gradient <= options.gradient_tolerance) return result;
    const double magnitude = std::max({std::abs(old_value), std::abs(result.value), 1.0});
    if (old_value - result.value <= options.decrease_tolerance * magnitude) {
      result.end = LbfgsEnd::decrease;
      return result;
    }

    // The step and the change must turn the same way, clearly, to shape the next direction.
    const double turn = (new_slope - slope) * step;
    if (turn > std::numeric_limits<double>::epsilon() * -slope * step) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        direction[i] *= step;
        change[i] = gradient[i] - old_gradient[i];
      }
      memory.add(direction, change, turn);
    }
  }
}

}  // namespace creg
