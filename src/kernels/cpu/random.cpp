#include "kernels/random.h"

#include <algorithm>
#include <cmath>

#include "core/permutation.h"

namespace creg::cpu {
namespace {

constexpr std::int64_t draws_at_once = 1 << 12;

RandomKey key_of_row(RandomKey key, std::int64_t row, const std::int32_t* numbers) {
  key.item += static_cast<std::uint64_t>(numbers == nullptr ? row : numbers[row]);
  return key;
}

/// Calls body(row, first column, last column, out) for the rows' parts, on all workers.
template <class Body>
void for_row_parts(const Launch& launch, const kernels::DrawnRows& rows, const Body& body) {
  launch.workers->for_ranges(
      rows.rows * rows.cols, draws_at_once, [&](std::int64_t begin, std::int64_t end) {
        while (begin < end) {
          const std::int64_t row = begin / rows.cols;
          const std::int64_t last = std::min(end, (row + 1) * rows.cols);
          body(row, begin - row * rows.cols, last - row * rows.cols, rows.out + begin);
          begin = last;
        }
      });
}

struct Dropout {
  explicit Dropout(double rate)
      : below(static_cast<std::uint64_t>(std::ldexp(rate, 32))),
        kept(static_cast<float>(1 / (1 - rate))) {}

  void fill(RandomStream stream, std::int64_t count, float* out) const {
    for (std::int64_t i = 0; i < count; ++i) out[i] = stream() < below ? 0.0F : kept;
  }

  std::uint64_t below;
  float kept;
};

}  // namespace

void draw_uniform(const Launch& launch, const kernels::DrawnRows& rows,
                  const kernels::UniformRange& range) {
  const RandomKey key = rows.key.plain();
  const double stretch = range.both_signs ? 2 : 1;
  const double shift = range.both_signs ? 1 : 0;
  for_row_parts(
      launch, rows, [&](std::int64_t row, std::int64_t first, std::int64_t last, float* out) {
        RandomStream stream(key_of_row(key, row, rows.numbers), static_cast<std::uint64_t>(first));
        for (std::int64_t i = 0; i < last - first; ++i) {
          out[i] = static_cast<float>((stretch * stream.uniform() - shift) * range.scale);
        }
      });
}

void draw_normal(const Launch& launch, const kernels::DrawnRows& rows, double deviation) {
  const RandomKey key = rows.key.plain();
  for_row_parts(launch, rows,
                [&](std::int64_t row, std::int64_t first, std::int64_t last, float* out) {
                  // Four words make a pair of them.
                  const std::int64_t skipped = first % 2;
                  RandomStream stream(key_of_row(key, row, rows.numbers),
                                      static_cast<std::uint64_t>(2 * (first - skipped)));
                  if (skipped != 0) stream.normal();
                  for (std::int64_t i = 0; i < last - first; ++i) {
                    out[i] = static_cast<float>(stream.normal() * deviation);
                  }
                });
}

void draw_dropout_rows(const Launch& launch, const kernels::DrawnRows& rows, double rate) {
  const RandomKey key = rows.key.plain();
  const Dropout dropout(rate);
  for_row_parts(
      launch, rows, [&](std::int64_t row, std::int64_t first, std::int64_t last, float* out) {
        dropout.fill(
            RandomStream(key_of_row(key, row, rows.numbers), static_cast<std::uint64_t>(first)),
            last - first, out);
      });
}

void draw_dropout_entries(const Launch& launch, const kernels::DrawnEntries& entries, double rate) {
  constexpr std::int64_t rows_at_once = 64;
  const RandomKey key = entries.key.plain();
  const Dropout dropout(rate);
  launch.workers->for_ranges(entries.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      dropout.fill(RandomStream(key_of_row(key, r, entries.numbers)),
                   entries.offsets[r + 1] - entries.offsets[r], entries.out + entries.offsets[r]);
    }
  });
}

void draw_kept(const Launch& launch, const RandomKey& key, const kernels::DropChances& chances,
               float* out) {
  launch.workers->for_ranges(
      chances.count, draws_at_once, [&](std::int64_t begin, std::int64_t end) {
        RandomStream stream(key, static_cast<std::uint64_t>(begin));
        for (std::int64_t i = begin; i < end; ++i) {
          const double chance = chances.own == nullptr ? chances.shared : chances.own[i];
          out[i] = stream.uniform() < chance ? 0.0F : 1.0F;
        }
      });
}

// A rejected word moves all draws after it, so that they are made in turn.
void draw_below(const Launch& /*launch*/, const RandomKey& key, std::int64_t bound,
                std::int64_t count, std::int64_t* out) {
  RandomStream stream(key);
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(bound)));
  }
}

void draw_permutation(const Launch& launch, const RandomKey& key, std::int64_t n,
                      std::int32_t* out) {
  KeyedOrder order(key, n);
  const Workers& workers = *launch.workers;
  workers.for_ranges(order.pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) order.draw(p);
  });
  order.find_places();
  workers.for_ranges(order.pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) order.scatter(p);
  });
  constexpr std::int64_t buckets_at_once = 16;
  workers.for_ranges(order.buckets(), buckets_at_once,
                     [&](std::int64_t begin, std::int64_t end) { order.sort(begin, end, out); });
}

}  // namespace creg::cpu
