// Adam over a list of parameters, with a state that can be kept and put back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "creg/nn/parameter_list.h"
#include "ops/adam.h"

namespace creg {

class Adam {
 public:
  /// Weight decay pulls at the parameters whose names `decays` accepts; at all without it.
  Adam(const std::vector<NamedTensor>& parameters, double lr, double weight_decay,
       const std::function<bool(const std::string&)>& decays = {});

  /// One step by the parameters' gradients, which are then forgotten. A parameter without one keeps
  /// its value; all do where `guard`, one float32, is given and not finite.
  void step(const at::Tensor& guard = {});
  /// A new optimiser in place of this one: moments and step count forgotten, another rate.
  void restart(double lr);
  void set_lr(double lr) { settings_.lr = lr; }

  /// What the next step() is made with.
  const AdamStep& settings() const { return settings_; }
  double lr() const { return settings_.lr; }
  std::int64_t steps() const { return settings_.step - 1; }
  /// So many steps were made, some of them from a recording.
  void set_steps(std::int64_t steps) { settings_.step = steps + 1; }
  const std::vector<NamedTensor>& moments1() const { return moments1_; }
  const std::vector<NamedTensor>& moments2() const { return moments2_; }
  void put_back(std::vector<NamedTensor> moments1, std::vector<NamedTensor> moments2,
                std::int64_t steps);

 private:
  std::vector<NamedTensor> parameters_;
  AdamStep settings_;
  std::vector<double> decay_;  // of each parameter
  std::vector<NamedTensor> moments1_;
  std::vector<NamedTensor> moments2_;
};

}  // namespace creg
