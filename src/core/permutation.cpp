#include "core/permutation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "core/philox.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::int64_t piece_items = std::int64_t{1} << 15;
/// A bucket has between half and all of these on average.
constexpr std::int64_t bucket_items = 2048;
constexpr int finest_bits = 11;

int bits_of(std::int64_t number) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number)));
}

std::uint64_t bits64_of(std::uint64_t high, std::uint32_t low) {
  return (high << 32) | low;
}

}  // namespace

KeyedOrder::KeyedOrder(const RandomKey& key, std::int64_t n)
    : key_(key),
      n_(n),
      pieces_((n + piece_items - 1) / piece_items),
      bits_(bits_of((std::max<std::int64_t>(n, 1) - 1) / bucket_items)),
      draws_(n + 1),
      drawn_(n),
      places_(static_cast<std::size_t>(pieces_ * buckets()), 0),
      starts_(static_cast<std::size_t>(buckets()) + 1, 0) {
  invariant(n >= 0 && n <= std::numeric_limits<std::int32_t>::max(), "items have 32-bit numbers");
}

std::int64_t KeyedOrder::piece_end(std::int64_t piece) const {
  return std::min(n_, (piece + 1) * piece_items);
}

void KeyedOrder::draw(std::int64_t piece) {
  const std::int64_t first = piece * piece_items;
  const std::int64_t last = piece_end(piece);
  const PhiloxKey key = philox_key(key_);
  PhiloxCounter counter = philox_counter(key_, static_cast<std::uint32_t>(first / 2));
  // Two items share a block; the last one may have a neighbour that is none.
  for (std::int64_t i = first; i < last; i += 2, ++counter[0]) {
    const auto words = philox_block(counter, key);
    draws_[i] = bits64_of(words[0], words[1]);
    draws_[i + 1] = bits64_of(words[2], words[3]);
  }
  std::int32_t* const counts = places_of(piece);
  for (std::int64_t i = first; i < last; ++i) ++counts[bucket_of(draws_[i])];
}

void KeyedOrder::find_places() {
  std::int64_t next = 0;
  for (std::int64_t b = 0; b < buckets(); ++b) {
    starts_[static_cast<std::size_t>(b)] = next;
    for (std::int64_t p = 0; p < pieces_; ++p) {
      std::int32_t& place = places_of(p)[b];
      const std::int32_t count = place;
      place = static_cast<std::int32_t>(next);
      next += count;
    }
  }
  starts_.back() = next;
}

void KeyedOrder::scatter(std::int64_t piece) {
  std::int32_t* const places = places_of(piece);
  for (std::int64_t i = piece * piece_items; i < piece_end(piece); ++i) {
    const std::uint64_t below_bucket = (draws_[i] << bits_) >> 32;
    drawn_[places[bucket_of(draws_[i])]++] = (below_bucket << 32) | static_cast<std::uint64_t>(i);
  }
}

bool KeyedOrder::before_by_all_bits(Drawn a, Drawn b) const {
  const std::uint64_t draw_a = draws_[static_cast<std::uint32_t>(a)];
  const std::uint64_t draw_b = draws_[static_cast<std::uint32_t>(b)];
  return draw_a != draw_b ? draw_a < draw_b : a < b;
}

// Into as many finer buckets as there are items, which leaves hardly anything to be exchanged.
void KeyedOrder::sort_bucket(const Drawn* drawn, std::int64_t size, Drawn* out) const {
  const int fine = std::min(finest_bits, bits_of(size));
  const auto finer = [&](Drawn one) { return static_cast<std::size_t>(one >> (64 - fine)); };
  std::array<std::int32_t, (1U << finest_bits) + 1> next{};
  for (std::int64_t i = 0; i < size; ++i) ++next[finer(drawn[i]) + 1];
  for (std::size_t f = 0; f < std::size_t{1} << fine; ++f) next[f + 1] += next[f];
  for (std::int64_t i = 0; i < size; ++i) out[next[finer(drawn[i])]++] = drawn[i];
  for (std::int64_t i = 1; i < size; ++i) {
    const Drawn moved = out[i];
    std::int64_t to = i;
    for (; to > 0 && before(moved, out[to - 1]); --to) out[to] = out[to - 1];
    out[to] = moved;
  }
}

void KeyedOrder::sort(std::int64_t first, std::int64_t last, std::int32_t* out) const {
  std::vector<Drawn> sorted;
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t start = starts_[static_cast<std::size_t>(b)];
    const std::int64_t size = starts_[static_cast<std::size_t>(b) + 1] - start;
    if (size == 0) continue;
    sorted.resize(std::max(sorted.size(), static_cast<std::size_t>(size)));
    sort_bucket(drawn_.data() + start, size, sorted.data());
    for (std::int64_t i = 0; i < size; ++i) {
      out[start + i] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(sorted[static_cast<std::size_t>(i)]));
    }
  }
}

std::vector<std::int32_t> keyed_permutation(const RandomKey& key, std::int64_t n) {
  KeyedOrder order(key, n);
  for (std::int64_t p = 0; p < order.pieces(); ++p) order.draw(p);
  order.find_places();
  for (std::int64_t p = 0; p < order.pieces(); ++p) order.scatter(p);
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  order.sort(0, order.buckets(), out.data());
  return out;
}

}  // namespace creg
