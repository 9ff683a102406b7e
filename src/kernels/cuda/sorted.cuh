// Items by key, those of one key in their order: what turns pairs and entries round.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

/// Bits that numbers below `bound` have.
inline int bits_below(std::int64_t bound) {
  int bits = 1;
  while (bits < 63 && (std::int64_t{1} << bits) < bound) ++bits;
  return bits;
}

/// Keys of so many bits with the items they came with, by rising key.
template <class Key, class Item>
struct Sorted {
  const Key* keys = nullptr;
  const Item* items = nullptr;
};

/// By the bits low.. below `bits`, items of equal ones in their order. Both arrays are lost; the
/// sorted ones are there or in scratch memory.
template <class Key, class Item>
Sorted<Key, Item> sort_pairs(const Launch& launch, Key* keys, Item* items, std::int64_t count,
                             int bits, int low = 0) {
  cub::DoubleBuffer<Key> both_keys(keys, launch.scratch->array<Key>(count));
  cub::DoubleBuffer<Item> both_items(items, launch.scratch->array<Item>(count));
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, both_keys, both_items, count, low, bits,
                                        stream_of(launch)),
        "sort");
  check(cub::DeviceRadixSort::SortPairs(launch.scratch->take(bytes), bytes, both_keys, both_items,
                                        count, low, bits, stream_of(launch)),
        "sort");
  return {both_keys.Current(), both_items.Current()};
}

/// offsets[k] = how many of the sorted keys are below k, for k in 0..bound: a search each.
template <class Key>
__global__ void find_offsets(const Key* keys, std::int64_t count, std::int64_t bound,
                             std::int64_t* offsets) {
  for (std::int64_t k = first_item(); k <= bound; k += item_step()) {
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (static_cast<std::int64_t>(keys[middle]) < k) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[k] = low;
  }
}

template <class Key>
void start_find_offsets(const Launch& launch, const Key* keys, std::int64_t count,
                        std::int64_t bound, std::int64_t* offsets) {
  constexpr int threads = 256;
  find_offsets<<<grid_for(bound + 1, threads), threads, 0, stream_of(launch)>>>(keys, count, bound,
                                                                                offsets);
  check_launch("offsets");
}

/// Every number becomes the sum of itself and those before it.
template <class T>
void add_up(const Launch& launch, T* numbers, std::int64_t count) {
  std::size_t bytes = 0;
  check(cub::DeviceScan::InclusiveSum(nullptr, bytes, numbers, numbers, count, stream_of(launch)),
        "sums");
  check(cub::DeviceScan::InclusiveSum(launch.scratch->take(bytes), bytes, numbers, numbers, count,
                                      stream_of(launch)),
        "sums");
}

}  // namespace creg::cuda
