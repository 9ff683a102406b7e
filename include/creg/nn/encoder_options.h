// What an encoder is made of, in plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class EncoderKind { gcn, gat, gin, sage };
template <>
struct EnumNames<EncoderKind> {
  static constexpr std::array<std::string_view, 4> names = {"gcn", "gat", "gin", "sage"};
};

/// Whether an encoder of this kind can gather from sampled neighbours.
constexpr bool runs_in_batches(EncoderKind kind) {
  return kind == EncoderKind::sage;
}

enum class ActivationKind {
  prelu,         ///< one slope per channel
  prelu_shared,  ///< one slope
  relu,
  elu,
  rrelu,  ///< random slopes while training, their mean afterwards
  none,
};
template <>
struct EnumNames<ActivationKind> {
  static constexpr std::array<std::string_view, 6> names = {"prelu", "prelu-shared", "relu",
                                                            "elu",   "rrelu",        "none"};
};

struct EncoderOptions {
  EncoderKind kind = EncoderKind::gcn;
  std::int64_t dim = 512;  ///< width of every layer
  int layers = 1;
  ActivationKind activation = ActivationKind::prelu;  ///< after every layer
  int heads = 4;                                      ///< of GAT; they share `dim`
  /// GCN and SAGE: every channel is brought to mean 0 and variance 1/dim over the nodes before the
  /// bias and the activation, so that no embedding starts long.
  bool channel_norm = false;
};

}  // namespace creg
