// The weight of Contrast-Reg, fixed or following how confident the positives are.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/contrast/options.h"
#include "creg/core/context.h"

namespace creg {

class RatioControl {
 public:
  RatioControl(const Context& context, const RegulariserOptions& options);

  bool follows() const { return follows_; }
  /// One value, float64. A step reads it without bringing it to the host.
  const at::Tensor& value() const { return ratio_; }
  void set(double ratio);

  /// `penalty`, a float32 of one value, times the weight.
  at::Tensor weighted(const at::Tensor& penalty) const;

  /// After a step in which the positives had this mean sigma. The weight integrates the distance
  /// from the target: it stays where it is once the target is met. A step whose `loss` is not
  /// finite teaches nothing.
  void follow(const at::Tensor& sigma, const at::Tensor& loss);

 private:
  bool follows_;
  double target_;
  double fixed_ = 0;
  at::Tensor ratio_;
};

}  // namespace creg
