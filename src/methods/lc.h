// Where LC takes a node's positive from.
#pragma once

#include <array>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class Positives {
  neighbours,  ///< one at random of the k graph neighbours with the largest dot product (paper)
  global,      ///< the mean of the k most cosine-similar nodes of all, itself included (code)
};
template <>
struct EnumNames<Positives> {
  static constexpr std::array<std::string_view, 2> names = {"neighbours", "global"};
};

}  // namespace creg
