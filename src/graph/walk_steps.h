// The steps of random walks over plain arrays, for all devices; RandomWalker (random_walks.h) says
// what they are. `Words` gives the next 32 bits of a random stream when it is called.
#pragma once

#include <cstdint>

#include "core/both_devices.h"
#include "core/random_words.h"

namespace creg {

/// Rounded before it is added to anything, on every device.
CREG_BOTH inline double rounded_product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

struct WalkSteps {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;  ///< ascending in each row
  const float* values = nullptr;          ///< null: ones
  const double* sums = nullptr;  ///< of a row's values up to each entry; null without values
  double back = 1;               ///< 1/p
  double out = 1;                ///< 1/q
  double largest = 1;            ///< of back, 1 and out

  /// nodes[0] is where the walk starts; the others of `length` are written.
  template <class Words>
  CREG_BOTH void go(Words& words, std::int32_t* nodes, std::int64_t length) const {
    const bool first_order = back == 1 && out == 1;
    for (std::int64_t i = 1; i < length; ++i) {
      const std::int32_t node = nodes[i - 1];
      if (!steps_from(node)) {
        for (; i < length; ++i) nodes[i] = node;
        return;
      }
      nodes[i] =
          first_order || i == 1 ? by_weight(node, words) : by_both(nodes[i - 2], node, words);
    }
  }

 private:
  // After so many draws in vain the neighbours are looked at one by one, so that no p and q make a
  // step endless. What was drawn in vain says nothing about the next draw: chances stay what they
  // are.
  static constexpr int draws_in_vain = 64;

  CREG_BOTH bool steps_from(std::int32_t node) const {
    const std::int64_t end = offsets[node + 1];
    if (offsets[node] == end) return false;
    return sums == nullptr || sums[end - 1] > 0;
  }

  /// The first of entries first..last-1 that is(entry), which ascends from false to true; else
  /// last.
  template <class Is>
  CREG_BOTH static std::int64_t first_that(std::int64_t first, std::int64_t last, const Is& is) {
    while (first < last) {
      const std::int64_t middle = (first + last) / 2;
      if (is(middle)) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }

  template <class Words>
  CREG_BOTH std::int32_t by_weight(std::int32_t node, Words& words) const {
    const std::int64_t first = offsets[node];
    const std::int64_t last = offsets[node + 1];
    if (sums == nullptr) {
      const auto count = static_cast<std::uint64_t>(last - first);
      return columns[first + static_cast<std::int64_t>(uniform_below(words, count))];
    }
    const double whole = sums[last - 1];
    const double target = uniform_of_64(next_64_bits(words)) * whole;
    // The first whose running sum exceeds the target; never one of weight 0.
    std::int64_t found = first_that(first, last, [&](std::int64_t e) { return sums[e] > target; });
    // Rounding can bring the target up to the whole sum.
    if (found == last) {
      found = first_that(first, last, [&](std::int64_t e) { return sums[e] >= whole; });
    }
    return columns[found];
  }

  CREG_BOTH double preference(std::int32_t before, std::int32_t next) const {
    if (next == before) return back;
    const std::int64_t last = offsets[before + 1];
    const std::int64_t found =
        first_that(offsets[before], last, [&](std::int64_t e) { return columns[e] >= next; });
    return found < last && columns[found] == next ? 1 : out;
  }

  template <class Words>
  CREG_BOTH std::int32_t by_both(std::int32_t before, std::int32_t node, Words& words) const {
    for (int i = 0; i < draws_in_vain; ++i) {
      const std::int32_t next = by_weight(node, words);
      if (uniform_of_64(next_64_bits(words)) * largest < preference(before, next)) return next;
    }
    return by_listing(before, node, words);
  }

  /// The sum of weights and preferences of entries first..last-1, or up to the first entry with
  /// is(sum) and that entry in `found`.
  template <class Is>
  CREG_BOTH double add_up(std::int32_t before, std::int64_t first, std::int64_t last, const Is& is,
                          std::int64_t& found) const {
    double sum = 0;
    for (found = first; found < last; ++found) {
      const double weight = values == nullptr ? 1.0 : static_cast<double>(values[found]);
      sum += rounded_product(preference(before, columns[found]), weight);
      if (is(sum)) break;
    }
    return sum;
  }

  template <class Words>
  CREG_BOTH std::int32_t by_listing(std::int32_t before, std::int32_t node, Words& words) const {
    const std::int64_t first = offsets[node];
    const std::int64_t last = offsets[node + 1];
    std::int64_t found = 0;
    const double whole = add_up(
        before, first, last, [](double) { return false; }, found);
    const double target = uniform_of_64(next_64_bits(words)) * whole;
    add_up(
        before, first, last, [&](double sum) { return sum > target; }, found);
    if (found == last) {
      add_up(
          before, first, last, [&](double sum) { return sum >= whole; }, found);
    }
    return columns[found];
  }
};

}  // namespace creg
