// RandomStream (creg/core/random.h) for the threads of a GPU: the same words.
#pragma once

#include <cstdint>

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

/// The key in this step, also where it was recorded in an earlier one.
__device__ inline RandomKey key_now(RandomKey key, const StepCells* cells) {
  if (cells != nullptr) key.epoch += cells->later;
  return key;
}

__device__ inline RandomKey key_of_row(const RandomKey& key, const StepCells* cells,
                                       std::int64_t row) {
  RandomKey own = key_now(key, cells);
  own.item += static_cast<std::uint64_t>(row);
  return own;
}

}  // namespace creg::cuda
