// -log sigma(x), its derivative and sigma(x), in the two forms the losses know.
#pragma once

#include <cmath>

#include "core/both_devices.h"

namespace creg::kernels {

struct Logistic {
  float loss = 0;
  float derivative = 0;  ///< of the loss by x
  float sigma = 0;
};

/// -log sigma(x). `naive` repeats -log(sigma + eps) of a float32 sigma with eps = 1e-15.
CREG_BOTH inline Logistic log_sigmoid_loss(float x, bool naive) {
  const float e = std::exp(-std::abs(x));
  const float sigma = x >= 0 ? 1 / (1 + e) : e / (1 + e);
  if (!naive) return {std::log1p(e) + (x < 0 ? -x : 0), sigma - 1 == 0 ? -e : sigma - 1, sigma};
  constexpr float eps = 1e-15F;
  return {-std::log(sigma + eps), -sigma * (1 - sigma) / (sigma + eps), sigma};
}

/// -log(1 - sigma(x)).
CREG_BOTH inline Logistic log_complement_loss(float x, bool naive) {
  if (!naive) {
    const Logistic mirrored = log_sigmoid_loss(-x, false);
    return {mirrored.loss, -mirrored.derivative, 1 - mirrored.sigma};
  }
  const float e = std::exp(-std::abs(x));
  const float sigma = x >= 0 ? 1 / (1 + e) : e / (1 + e);
  constexpr float eps = 1e-15F;
  const float rest = 1 - sigma;
  return {-std::log(rest + eps), sigma * rest / (rest + eps), sigma};
}

}  // namespace creg::kernels
