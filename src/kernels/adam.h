// The range kernel of Adam.
#pragma once

#include <cstdint>

namespace creg::cpu {

struct AdamValues {
  float* parameter = nullptr;
  const float* gradient = nullptr;
  float* moment1 = nullptr;
  float* moment2 = nullptr;
  const float* guard = nullptr;  ///< not finite: nothing is updated; null: always
  float beta1 = 0;
  float beta2 = 0;
  float rest1 = 0;  ///< 1 - beta1, rounded once
  float rest2 = 0;
  float weight_decay = 0;
  float step_size = 0;   ///< lr / (1 - beta1^t)
  float root_scale = 0;  ///< 1 / sqrt(1 - beta2^t)
  float eps = 0;
};

void adam_range(const AdamValues& values, std::int64_t begin, std::int64_t end);

}  // namespace creg::cpu
