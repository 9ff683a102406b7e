#include "nn/dropout.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cmath>

#include "creg/core/random.h"

namespace creg {
namespace {

constexpr std::int64_t dropout_rows = 64;

/// Row r draws from a stream of its own.
void draw_row(const DropoutStream& stream, std::int64_t row, float* out, std::int64_t count) {
  const auto below = static_cast<std::uint64_t>(std::ldexp(stream.rate, 32));
  const auto kept = static_cast<float>(1 / (1 - stream.rate));
  RandomStream draws(stream.noise, Purpose::dropout, stream.part, static_cast<std::uint64_t>(row));
  for (std::int64_t i = 0; i < count; ++i) out[i] = draws() < below ? 0.0F : kept;
}

}  // namespace

at::Tensor row_mask(std::int64_t rows, std::int64_t cols, const DropoutStream& stream) {
  at::Tensor mask = at::empty({rows, cols}, at::kFloat);
  float* const values = mask.data_ptr<float>();
  at::parallel_for(0, rows, dropout_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) draw_row(stream, r, values + r * cols, cols);
  });
  return mask;
}

at::Tensor entry_mask(const at::Tensor& offsets, const DropoutStream& stream) {
  const auto* const starts = offsets.data_ptr<std::int64_t>();
  const std::int64_t rows = offsets.numel() - 1;
  at::Tensor mask = at::empty({starts[rows]}, at::kFloat);
  float* const values = mask.data_ptr<float>();
  at::parallel_for(0, rows, dropout_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      draw_row(stream, r, values + starts[r], starts[r + 1] - starts[r]);
    }
  });
  return mask;
}

at::Tensor dropped_rows(const at::Tensor& rows, const DropoutStream& stream) {
  return stream.rate == 0 ? rows : rows * row_mask(rows.size(0), rows.size(1), stream);
}

}  // namespace creg
