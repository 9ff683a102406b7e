// Random draws as tensors. Each is a pure function of its key and its arguments: the same numbers
// on every device (normal ones but for the rounding of its logarithm and sine) and for every number
// of threads. No gradient goes through them.
//
// Where rows are nodes of a part of a graph, `numbers` (int32, one per row) are theirs in the whole
// one: row r draws what row numbers[r] draws there. On the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/draw_key.h"
#include "creg/core/random.h"

namespace creg {

/// float32 [rows, cols]. Row r holds the first draws of the key's stream with r added to its item;
/// a single row takes any shape afterwards. Uniform in [0, scale).
at::Tensor draw_uniform(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                        double scale, const DrawKey& key, const at::Tensor& numbers = {});
/// Uniform in [-bound, bound).
at::Tensor draw_symmetric(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                          double bound, const RandomKey& key);
/// Normal with mean 0.
at::Tensor draw_normal(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                       double deviation, const RandomKey& key);
/// Dropout: 0 with chance `rate` (below 1), else 1 / (1 - rate).
at::Tensor draw_dropout(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                        double rate, const DrawKey& key, const at::Tensor& numbers = {});
/// The same for rows of `entries` values in all that start at `offsets` (int64, rows + 1 of them):
/// float32 [entries].
at::Tensor draw_dropout(const at::Tensor& offsets, std::int64_t entries, double rate,
                        const DrawKey& key, const at::Tensor& numbers = {});

/// float32 [count] of 0 (gone, with this chance) and 1, from one stream.
at::Tensor draw_kept(const c10::Device& device, std::int64_t count, double chance,
                     const RandomKey& key);
/// With a chance each: float32 [count].
at::Tensor draw_kept(const at::Tensor& chances, const RandomKey& key);

/// int64 [count], uniform in 0..bound-1, the successive `below(bound)` of one stream.
at::Tensor draw_below(const c10::Device& device, std::int64_t count, std::int64_t bound,
                      const RandomKey& key);
/// For every row of 0..rows-1 another one, uniformly, `lists` times: int64 [lists, rows]. At least
/// two rows.
at::Tensor draw_other_rows(const c10::Device& device, std::int64_t lists, std::int64_t rows,
                           const RandomKey& key);

/// A random order of 0..n-1, int32: the items sorted by (draw, item), where item i draws the i-th
/// 64 bits of the key's stream (core/permutation.h). O(n).
at::Tensor draw_permutation(const c10::Device& device, std::int64_t n, const RandomKey& key);

}  // namespace creg
