// How -log sigma is computed.
#pragma once

#include <array>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class LogForm {
  stable,  ///< softplus
  naive,   ///< -log(sigma + 1e-15) in float32, whose gradient vanishes where sigma rounds to 1
};
template <>
struct EnumNames<LogForm> {
  static constexpr std::array<std::string_view, 2> names = {"stable", "naive"};
};

}  // namespace creg
