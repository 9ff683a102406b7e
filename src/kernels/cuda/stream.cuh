// RandomStream (creg/core/random.h) for the threads of a GPU: the same words.
#pragma once

#include <cstdint>

#include "core/draw_key.h"
#include "core/philox.h"
#include "core/random_words.h"
#include "kernels/launch.h"

namespace creg::cuda {

class DeviceStream {
 public:
  /// From word number `word` of the key's stream on.
  __device__ DeviceStream(const RandomKey& key, std::uint64_t word)
      : key_(philox_key(key)),
        counter_(philox_counter(key, static_cast<std::uint32_t>(word / 4))),
        used_(static_cast<int>(word % 4)) {
    block_ = philox_block(counter_, key_);
  }

  __device__ std::uint32_t operator()() {
    if (used_ == 4) {
      ++counter_[0];
      block_ = philox_block(counter_, key_);
      used_ = 0;
    }
    // By constant places, so that the block stays in registers.
    const int place = used_++;
    return place == 0 ? block_[0] : place == 1 ? block_[1] : place == 2 ? block_[2] : block_[3];
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;
  std::array<std::uint32_t, 4> block_;
  int used_;
};

/// A stream that knows how many words were taken of it.
class CountedStream {
 public:
  __device__ CountedStream(const RandomKey& key, std::uint64_t word) : stream_(key, word) {}
  __device__ std::uint32_t operator()() {
    ++taken_;
    return stream_();
  }
  __device__ int taken() const { return taken_; }

 private:
  DeviceStream stream_;
  int taken_ = 0;
};

/// The key in this step, also where it was recorded in an earlier one.
__device__ inline RandomKey key_now(RandomKey key, const StepCells* cells) {
  if (cells != nullptr) key.epoch += cells->later;
  return key;
}

__device__ inline RandomKey key_now(const DrawKey& key, const StepCells* cells) {
  if (!key.seeded) return key_now(key.stream, cells);
  RandomKey own = key.stream;
  DeviceStream noise(key_now(key.noise, cells), 0);
  own.seed = next_64_bits(noise);
  return own;
}

__device__ inline RandomKey key_of_row(RandomKey now, std::int64_t row) {
  now.item += static_cast<std::uint64_t>(row);
  return now;
}
__device__ inline RandomKey key_of_row(const RandomKey& key, const StepCells* cells,
                                       std::int64_t row) {
  return key_of_row(key_now(key, cells), row);
}

}  // namespace creg::cuda
