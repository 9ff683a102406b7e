#include "kernels/transposed_entries.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/sorted.cuh"

namespace creg::cuda {
namespace {

using kernels::TransposedEntries;

constexpr int entry_threads = 256;

/// Entries by column; places behind the last entry go to the end.
__global__ void number_entries(const TransposedEntries entries, std::int32_t* keys,
                               std::int64_t* items) {
  const std::int64_t used = entries.offsets[entries.rows];
  for (std::int64_t e = first_item(); e < entries.entries; e += item_step()) {
    keys[e] = e < used ? entries.columns[e] : static_cast<std::int32_t>(entries.cols);
    items[e] = e;
  }
}

__global__ void pick_values(const std::int64_t* items, std::int64_t count, const float* from,
                            float* to) {
  for (std::int64_t t = first_item(); t < count; t += item_step()) to[t] = from[items[t]];
}

/// The entry of the matrix that each one of the transpose is: sorting keeps those of a column in
/// the order of their rows.
const std::int64_t* transposed_order(const Launch& launch, const TransposedEntries& entries) {
  auto* const keys = launch.scratch->array<std::int32_t>(entries.entries);
  auto* const items = launch.scratch->array<std::int64_t>(entries.entries);
  number_entries<<<grid_for(entries.entries, entry_threads), entry_threads, 0, stream_of(launch)>>>(
      entries, keys, items);
  check_launch("transposed entries");
  return sort_pairs(launch, keys, items, entries.entries, bits_below(entries.cols + 1)).items;
}

}  // namespace

void link_entries(const Launch& launch, const TransposedEntries& entries, std::int64_t* linked) {
  if (entries.entries == 0) return;
  const std::int64_t* const order = transposed_order(launch, entries);
  check(cudaMemcpyAsync(linked, order,
                        static_cast<std::size_t>(entries.entries) * sizeof(std::int64_t),
                        cudaMemcpyDeviceToDevice, stream_of(launch)),
        "link_entries");
}

void transpose_values(const Launch& launch, const TransposedEntries& entries, const float* from,
                      float* to) {
  if (entries.entries == 0) return;
  const std::int64_t* const order = transposed_order(launch, entries);
  pick_values<<<grid_for(entries.entries, entry_threads), entry_threads, 0, stream_of(launch)>>>(
      order, entries.entries, from, to);
  check_launch("transpose_values");
}

}  // namespace creg::cuda
