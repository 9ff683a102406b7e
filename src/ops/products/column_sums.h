// Sums over rows whose value does not depend on the number of threads.
#pragma once

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>

namespace creg {

/// Rows that one piece sums in float before the pieces are added in double.
inline constexpr std::int64_t rows_per_sum = 256;

/// body(begin, end, sums) adds rows [begin, end) to `sums`, `width` floats that start at 0; the
/// pieces are fixed and their sums are added in order. Returns float32 [width].
template <class Body>
at::Tensor summed_pieces(std::int64_t rows, std::int64_t width, const Body& body) {
  const std::int64_t pieces = std::max<std::int64_t>(1, (rows + rows_per_sum - 1) / rows_per_sum);
  at::Tensor partial = at::zeros({pieces, width}, at::kFloat);
  float* const sums = partial.data_ptr<float>();
  at::parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece) {
      body(piece * rows_per_sum, std::min((piece + 1) * rows_per_sum, rows), sums + piece * width);
    }
  });
  return partial.sum(0, false, at::kDouble).to(at::kFloat);
}

inline at::Tensor column_sums(const at::Tensor& matrix) {
  return matrix.sum(0, false, at::kDouble).to(at::kFloat);
}

}  // namespace creg
