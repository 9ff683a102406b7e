// The small model that tells edges from non-edges, in plain values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class PredictorKind {
  linear,  ///< w·(h_u * h_v) + b
  mlp,     ///< a hidden layer of ReLU units between
};
template <>
struct EnumNames<PredictorKind> {
  static constexpr std::array<std::string_view, 2> names = {"linear", "mlp"};
};

struct PredictorOptions {
  PredictorKind kind = PredictorKind::linear;
  double learning_rate = 0.01;
  int epochs = 500;  ///< the most there will be
  int patience = 0;  ///< stop after so many epochs without a better validation AUC; 0: never
  std::int64_t hidden = 256;     ///< units of the mlp
  std::int64_t batch = 1 << 16;  ///< training edges of a step, a multiple of 1024
  std::uint64_t seed = 0;        ///< of the first weights, the order of the edges and the non-edges
  std::function<void()> each_epoch;  ///< called after every epoch; may throw to stop
};

}  // namespace creg
