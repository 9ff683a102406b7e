// Adam for the small models of this stage, in double.
#pragma once

#include <cstddef>

#include "kernels/adam.h"
#include "kernels/rows.h"

namespace creg::learn {

/// With the usual constants 0.9, 0.999 and 1e-8.
class Adam {
 public:
  Adam(std::size_t size, double learning_rate)
      : settings_{.lr = learning_rate, .step = 0}, mean_(size, 0.0), square_(size, 0.0) {}

  void step(const AlignedVector& gradient, AlignedVector& x) {
    ++settings_.step;
    auto values = kernels::adam_values<double>(settings_);
    values.count = static_cast<std::int64_t>(x.size());
    values.parameter = x.data();
    values.gradient = gradient.data();
    values.moment1 = mean_.data();
    values.moment2 = square_.data();
    const OneWorker worker;
    cpu::adam({.workers = &worker}, values);
  }

 private:
  AdamStep settings_;
  AlignedVector mean_;
  AlignedVector square_;
};

}  // namespace creg::learn
