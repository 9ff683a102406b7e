#include "train/loop/ratio_control.h"

#include <torch/types.h>

#include "ops/device.h"

namespace creg {
namespace {

// Positives that are sure of themselves, 0.1 above the target, double the weight in 140 steps.
constexpr double ratio_gain = 0.05;
constexpr double least_ratio = 0.1;
constexpr double most_ratio = 100;

}  // namespace

RatioControl::RatioControl(const Context& context, const RegulariserOptions& options)
    : follows_(options.contrast && options.auto_ratio),
      target_(options.target_sigma),
      ratio_(at::empty({}, options_on(context, at::kDouble))) {
  set(options.contrast ? options.ratio : 0);
}

void RatioControl::set(double ratio) {
  fixed_ = ratio;
  ratio_ = at::full({}, ratio, ratio_.options());
}

at::Tensor RatioControl::weighted(const at::Tensor& penalty) const {
  return follows_ ? penalty * ratio_.to(at::kFloat) : penalty * fixed_;
}

void RatioControl::follow(const at::Tensor& sigma, const at::Tensor& loss) {
  const at::NoGradGuard no_grad;
  const at::Tensor next = (ratio_ * at::exp((sigma.to(at::kDouble) - target_) * ratio_gain))
                              .clamp(least_ratio, most_ratio);
  // In place: a recorded step finds it where it was.
  ratio_.copy_(at::where(at::isfinite(loss), next, ratio_));
}

}  // namespace creg
