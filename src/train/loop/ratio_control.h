// The weight of Contrast-Reg, fixed or following how confident the positives are.
#pragma once

#include <algorithm>
#include <cmath>

#include "creg/contrast/options.h"

namespace creg {

class RatioControl {
 public:
  explicit RatioControl(const RegulariserOptions& options)
      : follows_(options.contrast && options.auto_ratio),
        target_(options.target_sigma),
        ratio_(options.contrast ? options.ratio : 0) {}

  bool follows() const { return follows_; }
  double ratio() const { return ratio_; }
  void set(double ratio) { ratio_ = ratio; }

  /// After a step in which the positives had this mean sigma. The weight integrates the distance
  /// from the target: it stays where it is once the target is met.
  void follow(double sigma) {
    ratio_ = std::clamp(ratio_ * std::exp(gain * (sigma - target_)), least, most);
  }

 private:
  // Positives that are sure of themselves, 0.1 above the target, double the weight in 140 steps.
  static constexpr double gain = 0.05;
  static constexpr double least = 0.1;
  static constexpr double most = 100;

  bool follows_;
  double target_;
  double ratio_;
};

}  // namespace creg
