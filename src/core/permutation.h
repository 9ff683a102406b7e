// Random orders that are computable item by item, so that every device can draw the same ones.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/random.h"

namespace creg {

/// The items 0..n-1 in rising order of (draw, item), where item i draws the i-th bits64() of the
/// key's stream: uniformly random but for equal draws, of which there is one in 2^64 pairs.
std::vector<std::int32_t> keyed_permutation(const RandomKey& key, std::int64_t n);

/// The same in four steps; the parts of a step may run side by side. Items go into buckets by the
/// highest bits of their draws, and each bucket is sorted in the cache.
class KeyedOrder {
 public:
  KeyedOrder(const RandomKey& key, std::int64_t n);

  /// Step 1, for every piece of the items: they draw.
  std::int64_t pieces() const { return pieces_; }
  void draw(std::int64_t piece);
  /// Step 2: where each bucket begins, and each piece in it.
  void find_places();
  /// Step 3, for every piece: its items go there.
  void scatter(std::int64_t piece);
  /// Step 4, for ranges that make up the buckets: their part of the permutation, in `out` [n].
  std::int64_t buckets() const { return std::int64_t{1} << bits_; }
  void sort(std::int64_t first, std::int64_t last, std::int32_t* out) const;

 private:
  /// An item below the 32 bits of its draw that follow those of the bucket.
  using Drawn = std::uint64_t;

  std::int64_t bucket_of(std::uint64_t draw) const {
    return bits_ == 0 ? 0 : static_cast<std::int64_t>(draw >> (64 - bits_));
  }
  std::int64_t piece_end(std::int64_t piece) const;
  /// Whether the item of a comes before that of b, of one bucket.
  bool before(Drawn a, Drawn b) const {
    return (a ^ b) >> 32 != 0 ? a < b : before_by_all_bits(a, b);
  }
  bool before_by_all_bits(Drawn a, Drawn b) const;
  std::int32_t* places_of(std::int64_t piece) { return places_.data() + piece * buckets(); }
  void sort_bucket(const Drawn* drawn, std::int64_t size, Drawn* out) const;

  RandomKey key_;
  std::int64_t n_;
  std::int64_t pieces_;
  int bits_;  // of a draw that name its bucket
  Buffer<std::uint64_t> draws_;
  Buffer<Drawn> drawn_;               // by bucket, in each by item
  std::vector<std::int32_t> places_;  // [pieces, buckets]: how many, then where the next one goes
  std::vector<std::int64_t> starts_;  // of the buckets
};

}  // namespace creg
