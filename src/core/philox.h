// The blocks that random streams are made of, for loops over many draws.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

#include "core/both_devices.h"
#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {

using PhiloxKey = std::array<std::uint32_t, 2>;
using PhiloxCounter = std::array<std::uint32_t, 4>;

CREG_BOTH inline PhiloxKey philox_key(const RandomKey& key) {
  return {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)};
}

/// Of block number `block` of the key's stream; the next one's has a first element larger by 1.
CREG_BOTH inline PhiloxCounter philox_counter(const RandomKey& key, std::uint32_t block) {
#ifndef __CUDA_ARCH__
  invariant((key.item >> 48) == 0, "a random stream's item is below 2^48");
#endif
  return {
      block, key.epoch, static_cast<std::uint32_t>(key.item),
      (static_cast<std::uint32_t>(key.item >> 32) << 16) | static_cast<std::uint32_t>(key.purpose)};
}

/// Words 4b to 4b + 3 of a stream, for the counter of block b.
CREG_BOTH inline std::array<std::uint32_t, 4> philox_block(const PhiloxCounter& counter,
                                                           const PhiloxKey& key) {
  const r123::Philox4x32 philox;
  const auto out = philox({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace creg
