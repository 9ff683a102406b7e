// Dropout by random streams: which values go is a pure function of a key, whatever the threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/random.h"

namespace creg {

/// Whose values: `part` tells those of one pass's noise apart.
struct DropoutStream {
  double rate = 0;  ///< below 1
  RandomKey noise;  ///< EncoderPass::noise
  std::uint32_t part = 0;
  at::Tensor numbers = {};  ///< of the rows, where they are a part's (ops/random.h)
};

/// [rows, cols] of 0 with chance rate, else 1 / (1 - rate).
at::Tensor row_mask(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                    const DropoutStream& stream);
/// The same, one for each of the `entries` of rows that start at `offsets` (int64).
at::Tensor entry_mask(const at::Tensor& offsets, std::int64_t entries, const DropoutStream& stream);
/// The rows times their mask; as they are where rate is 0.
at::Tensor dropped_rows(const at::Tensor& rows, const DropoutStream& stream);

}  // namespace creg
