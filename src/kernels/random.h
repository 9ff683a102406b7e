// Random draws into memory. Each is a function of its key: no thread and no device changes a
// number.
#pragma once

#include <cstdint>

#include "core/draw_key.h"
#include "creg/core/random.h"
#include "kernels/launch.h"

namespace creg::kernels {

/// A matrix of draws, row after row. Row r holds the first draws of the key's stream with r added
/// to its item.
struct DrawnRows {
  DrawKey key;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  float* out = nullptr;
  const std::int32_t* numbers = nullptr;  ///< row r draws as row numbers[r] (CPU alone); null: as r
};

/// How a uniform number u of [0, 1) is stretched, in double: u · scale, or (2u - 1) · scale.
struct UniformRange {
  double scale = 1;
  bool both_signs = false;
};

/// Rows of values that start at `offsets` (rows + 1 of them), drawn as those of DrawnRows.
struct DrawnEntries {
  DrawKey key;
  std::int64_t rows = 0;
  const std::int64_t* offsets = nullptr;
  float* out = nullptr;
  const std::int32_t* numbers = nullptr;
};

/// The chance with which each of `count` items goes: its own, or the one of all.
struct DropChances {
  std::int64_t count = 0;
  const float* own = nullptr;  ///< null: all have `shared`
  double shared = 0;
};

}  // namespace creg::kernels

namespace creg::cpu {

void draw_uniform(const Launch& launch, const kernels::DrawnRows& rows,
                  const kernels::UniformRange& range);
/// Standard normal numbers times `deviation`.
void draw_normal(const Launch& launch, const kernels::DrawnRows& rows, double deviation);
/// 0 with chance `rate`, else 1 / (1 - rate).
void draw_dropout_rows(const Launch& launch, const kernels::DrawnRows& rows, double rate);
void draw_dropout_entries(const Launch& launch, const kernels::DrawnEntries& entries, double rate);
/// 0 for what goes, 1 for what stays; one stream for all.
void draw_kept(const Launch& launch, const RandomKey& key, const kernels::DropChances& chances,
               float* out);
/// `count` numbers of 0..bound-1, one after the other from one stream.
void draw_below(const Launch& launch, const RandomKey& key, std::int64_t bound, std::int64_t count,
                std::int64_t* out);
/// keyed_permutation (core/permutation.h) of n items.
void draw_permutation(const Launch& launch, const RandomKey& key, std::int64_t n,
                      std::int32_t* out);

}  // namespace creg::cpu

namespace creg::cuda {

void draw_uniform(const Launch& launch, const kernels::DrawnRows& rows,
                  const kernels::UniformRange& range);
void draw_normal(const Launch& launch, const kernels::DrawnRows& rows, double deviation);
void draw_dropout_rows(const Launch& launch, const kernels::DrawnRows& rows, double rate);
void draw_dropout_entries(const Launch& launch, const kernels::DrawnEntries& entries, double rate);
void draw_kept(const Launch& launch, const RandomKey& key, const kernels::DropChances& chances,
               float* out);
void draw_below(const Launch& launch, const RandomKey& key, std::int64_t bound, std::int64_t count,
                std::int64_t* out);
void draw_permutation(const Launch& launch, const RandomKey& key, std::int64_t n,
                      std::int32_t* out);

}  // namespace creg::cuda
