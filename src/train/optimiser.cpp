#include "train/optimiser.h"

#include <torch/types.h>

namespace creg {

Adam::Adam(const std::vector<NamedTensor>& parameters, double lr, double weight_decay,
           const std::function<bool(const std::string&)>& decays)
    : parameters_(parameters) {
  for (const NamedTensor& parameter : parameters_) {
    decay_.push_back(!decays || decays(parameter.name) ? weight_decay : 0);
    moments1_.push_back({parameter.name, at::zeros_like(parameter.value.detach())});
    moments2_.push_back({parameter.name, at::zeros_like(parameter.value.detach())});
  }
  settings_.lr = lr;
}

void Adam::step(const at::Tensor& guard) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].value.mutable_grad();
    if (!gradient.defined()) continue;
    settings_.weight_decay = decay_[i];
    adam_step(parameters_[i].value.detach(), gradient, moments1_[i].value, moments2_[i].value,
              settings_, guard);
    gradient.reset();
  }
  ++settings_.step;
}

void Adam::restart(double lr) {
  settings_.lr = lr;
  settings_.step = 1;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    moments1_[i].value.zero_();
    moments2_[i].value.zero_();
  }
}

void Adam::put_back(std::vector<NamedTensor> moments1, std::vector<NamedTensor> moments2,
                    std::int64_t steps) {
  moments1_ = std::move(moments1);
  moments2_ = std::move(moments2);
  settings_.step = steps + 1;
}

}  // namespace creg
