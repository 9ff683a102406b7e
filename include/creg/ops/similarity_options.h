// What makes two embeddings similar, in plain values.
#pragma once

#include <array>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class Similarity {
  cosine,  ///< of rows divided by max(their norm, 1e-12)
  dot,
};
template <>
struct EnumNames<Similarity> {
  static constexpr std::array<std::string_view, 2> names = {"cosine", "dot"};
};

/// Whether a node counts among its own most similar.
enum class SelfPairs { include, exclude };
template <>
struct EnumNames<SelfPairs> {
  static constexpr std::array<std::string_view, 2> names = {"include", "exclude"};
};

}  // namespace creg
