// How exact the products over all pairs and of dense matrices are on a GPU.
#pragma once

#include <array>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

/// Of what goes into a product; sums are float32 or better in all of them. The CPU has fp32 alone.
enum class Precision {
  fp32,
  tf32,  ///< 10 bits behind the point
  bf16,  ///< 7 bits behind the point
};
template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 3> names = {"fp32", "tf32", "bf16"};
};

}  // namespace creg
