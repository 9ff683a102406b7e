// DiGCL's curriculum of Laplacians: the teleport probability of the second view.
#pragma once

#include <array>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

/// How the teleport probability of DiGCL's second view moves over the epochs.
enum class TeleportSchedule {
  log,  ///< the authors' default, with its slip of a sign: from about 1.7 down to 0.9
  linear,
  exponential,
  fixed,
};
template <>
struct EnumNames<TeleportSchedule> {
  static constexpr std::array<std::string_view, 4> names = {"log", "linear", "exp", "fixed"};
};

/// For epoch 0..epochs-1, with t = (epoch + 1) / (epochs + 1):
///   log      0.9 - 0.8 ln(t + e^-3) / 3, as the authors' code has it. The logarithm is negative,
///   so
///            that this runs from about 1.7 to 0.9 instead of from 0.9 to 0.1.
///   linear   0.9 - 0.8 t
///   exp      0.9 - 0.8 (e^(3 t) - 1) / (e^3 - 1)
///   fixed    0.9
double teleport_of(TeleportSchedule schedule, int epoch, int epochs);

}  // namespace creg
