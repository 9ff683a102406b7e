// Made-up lines of calibration.jsonl.
#pragma once

#include <string>

namespace creg::test {

/// ECE follows E[sigma] exactly and goes against q+; `shift` tells runs apart.
inline std::string history_lines(int epochs, double shift = 0) {
  std::string text;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const double t = static_cast<double>((epoch * 7 + 4) % 11) / 32;
    const auto number = [](double value) { return std::to_string(value); };
    const std::string loss = epoch == 0 ? "null" : number(2 - t);
    text += "{\"epoch\":" + std::to_string(10 * epoch) + ",\"loss\":" + loss +
            ",\"contrast\":" + loss + ",\"ece\":" + number(0.25 + t + shift) +
            ",\"q_positive\":" + number(0.75 - t) +
            ",\"q_negative\":0.1875,\"mean_sigma_random\":" + number(0.5 + t) +
            ",\"norm_mean\":2,\"sigma_max_mean\":3.5,\"norm_squared_mean\":4.5}\n";
  }
  return text;
}

}  // namespace creg::test
