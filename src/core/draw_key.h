// The key of a draw in a training step.
#pragma once

#include <cstdint>

#include "creg/core/random.h"

namespace creg {

/// Which stream a draw comes from: that of a key whose epoch is the step's, or a part of a pass's
/// noise, all of which comes from one number. A GPU that starts a recorded step again moves the one
/// epoch in here that is the step's.
struct DrawKey {
  // NOLINTNEXTLINE(google-explicit-constructor): a key is one.
  DrawKey(const RandomKey& own = {}) : stream(own) {}

  /// The stream (n, purpose, part), where n is the first 64 bits of `noise`.
  static DrawKey of_noise(const RandomKey& noise, Purpose purpose, std::uint32_t part) {
    DrawKey key(RandomKey{.purpose = purpose, .epoch = part});
    key.noise = noise;
    key.seeded = true;
    return key;
  }

  /// The stream's key in the step that this was made for.
  RandomKey plain() const {
    RandomKey own = stream;
    if (seeded) own.seed = RandomStream(noise).bits64();
    return own;
  }

  RandomKey stream;
  RandomKey noise;
  bool seeded = false;  ///< the stream's seed is to be drawn from `noise`
};

}  // namespace creg
