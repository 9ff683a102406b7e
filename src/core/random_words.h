// From the words of a random stream to numbers: written once for all devices. `Words` is called for
// the next 32 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/both_devices.h"

namespace creg {

template <class Words>
CREG_BOTH inline std::uint64_t next_64_bits(Words& words) {
  const std::uint64_t high = words();
  return (high << 32) | words();
}

/// Uniform in [0, 1) with 24 bits: exact in float.
CREG_BOTH inline float uniform_of(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}

/// Uniform in [0, 1) with 53 bits.
CREG_BOTH inline double uniform_of_64(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Lemire's multiply-and-reject: a word is taken where the low half of its product with the bound
/// is at least 2^32 mod bound, and the high half is the number.
CREG_BOTH inline std::uint32_t rejected_below(std::uint32_t bound) {
  return (0U - bound) % bound;
}

/// Uniform in 0..bound-1 without bias; bound >= 1.
template <class Words>
CREG_BOTH inline std::uint64_t uniform_below(Words& words, std::uint64_t bound) {
  if (bound <= 0xffffffffU) {
    const auto narrow = static_cast<std::uint32_t>(bound);
    std::uint64_t product = static_cast<std::uint64_t>(words()) * narrow;
    if (static_cast<std::uint32_t>(product) < narrow) {
      const std::uint32_t threshold = rejected_below(narrow);
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = static_cast<std::uint64_t>(words()) * narrow;
      }
    }
    return product >> 32;
  }
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next_64_bits(words)) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0ULL - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(next_64_bits(words)) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

/// Two standard normal numbers (Box-Muller).
struct NormalPair {
  double first = 0;
  double second = 0;
};
template <class Words>
CREG_BOTH inline NormalPair normal_pair(Words& words) {
  constexpr double pi = 3.14159265358979323846;
  const double radius = sqrt(-2.0 * log(1.0 - uniform_of_64(next_64_bits(words))));
  const double angle = 2.0 * pi * uniform_of_64(next_64_bits(words));
  return {radius * cos(angle), radius * sin(angle)};
}

}  // namespace creg
