#include "nn/dropout.h"

#include <torch/types.h>

#include "ops/random.h"

namespace creg {
namespace {

/// Row r draws from a stream of its own.
DrawKey key_of(const DropoutStream& stream) {
  return DrawKey::of_noise(stream.noise, Purpose::dropout, stream.part);
}

}  // namespace

at::Tensor row_mask(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                    const DropoutStream& stream) {
  return draw_dropout(device, rows, cols, stream.rate, key_of(stream), stream.numbers);
}

at::Tensor entry_mask(const at::Tensor& offsets, std::int64_t entries,
                      const DropoutStream& stream) {
  return draw_dropout(offsets, entries, stream.rate, key_of(stream), stream.numbers);
}

at::Tensor dropped_rows(const at::Tensor& rows, const DropoutStream& stream) {
  if (stream.rate == 0) return rows;
  return rows * row_mask(rows.device(), rows.size(0), rows.size(1), stream);
}

}  // namespace creg
