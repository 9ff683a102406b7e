#include <algorithm>

#include "kernels/cuda/pair_pulls.cuh"

namespace creg::cuda {
namespace {

constexpr int panel_threads = 256;

__device__ unsigned pack_bf16(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&both);
}

/// A thread per chunk of the panels.
template <Precision P>
__global__ void __launch_bounds__(panel_threads)
    fill_panels(const PanelSource source, std::int64_t rows, std::int64_t chunks, char* out) {
  constexpr int parts = Format<P>::parts;
  constexpr int each = Format<P>::features / row_chunks;
  for (std::int64_t i = first_item(); i < chunks; i += item_step()) {
    const std::int64_t line = i / row_chunks;
    const std::int64_t panel = line / rows;
    const std::int64_t row = line % rows;
    const auto place = static_cast<int>(i % row_chunks);
    const std::int64_t first =
        panel * Format<P>::features + (place ^ static_cast<int>(row % row_chunks)) * each;
    float values[each] = {};
    if (row < source.count) {
      const std::int64_t number = source.chosen == nullptr ? row : source.chosen[row];
      const float scale = source.scales == nullptr ? 1.0F : source.scales[number];
      const float* const from = source.rows + number * source.width;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        if (first + j < source.width) values[j] = from[first + j] * scale;
      }
    }
    const auto at = [&](int part) {
      return reinterpret_cast<uint4*>(
          out + (((panel * parts + part) * rows + row) * row_chunks + place) * panel_chunk);
    };
    if constexpr (P == Precision::bf16) {
      *at(0) = make_uint4(pack_bf16(values[0], values[1]), pack_bf16(values[2], values[3]),
                          pack_bf16(values[4], values[5]), pack_bf16(values[6], values[7]));
    } else {
      unsigned high[each];
#pragma unroll
      for (int j = 0; j < each; ++j) high[j] = rounded_tf32(values[j]);
      *at(0) = make_uint4(high[0], high[1], high[2], high[3]);
      if constexpr (parts == 2) {
        unsigned low[each];
#pragma unroll
        for (int j = 0; j < each; ++j) {
          low[j] = rounded_tf32(values[j] - __uint_as_float(high[j]));
        }
        *at(1) = make_uint4(low[0], low[1], low[2], low[3]);
      }
    }
  }
}

__global__ void add_splits_of(const float* partial, int splits, std::int64_t size, float* values,
                              bool add) {
  for (std::int64_t i = first_item(); i < size; i += item_step()) {
    float sum = add ? values[i] : 0.0F;
    for (int split = 0; split < splits; ++split) sum += partial[split * size + i];
    values[i] = sum;
  }
}

}  // namespace

void add_splits(const Launch& launch, const float* partial, int splits, std::int64_t size,
                float* values, bool add) {
  add_splits_of<<<grid_for(size, panel_threads), panel_threads, 0, stream_of(launch)>>>(
      partial, splits, size, values, add);
  check_launch("sum of splits");
}

Panels make_panels(const Launch& launch, Precision precision, const PanelSource& source) {
  Panels panels;
  panels.rows = pieces_of(source.count, rows_multiple) * rows_multiple;
  panels.count = static_cast<int>(pieces_of(source.width, features_of(precision)));
  if (panels.count == 0) panels.count = 1;
  const std::int64_t chunks = panels.count * panels.rows * row_chunks;
  auto* const data =
      static_cast<char*>(launch.scratch->take(static_cast<std::size_t>(chunks * panel_chunk) *
                                              static_cast<std::size_t>(parts_of(precision))));
  panels.data = data;
  const unsigned blocks = grid_for(chunks, panel_threads);
  cudaStream_t stream = stream_of(launch);
  if (precision == Precision::bf16) {
    fill_panels<Precision::bf16>
        <<<blocks, panel_threads, 0, stream>>>(source, panels.rows, chunks, data);
  } else if (precision == Precision::tf32) {
    fill_panels<Precision::tf32>
        <<<blocks, panel_threads, 0, stream>>>(source, panels.rows, chunks, data);
  } else {
    fill_panels<Precision::fp32>
        <<<blocks, panel_threads, 0, stream>>>(source, panels.rows, chunks, data);
  }
  check_launch("panels of rows");
  return panels;
}

CardLimits card_limits() {
  int device = 0;
  check(cudaGetDevice(&device), "device");
  const auto ask = [&](cudaDeviceAttr attribute) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, device), "device");
    return value;
  };
  CardLimits limits;
  limits.processors = ask(cudaDevAttrMultiProcessorCount);
  limits.block_bytes = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits.both_bytes = ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 -
                      ask(cudaDevAttrReservedSharedMemoryPerBlock);
#ifdef CREG_BLOCK_BYTES
  // As on a card whose blocks have no more: for tests on a larger one.
  constexpr int reserved = 1024;
  limits.block_bytes = std::min(limits.block_bytes, CREG_BLOCK_BYTES);
  limits.both_bytes = std::min(limits.both_bytes, (CREG_BLOCK_BYTES + reserved) / 2 - reserved);
#endif
  return limits;
}

int stages_in(int room, int stage_bytes, int least, const char* what) {
  const int stages = room / stage_bytes;
  if (stages < least) {
    throw std::runtime_error(std::string(what) + ": a block of this GPU has " +
                             std::to_string(room) + " bytes of shared memory left, and needs " +
                             std::to_string(least * stage_bytes));
  }
  return stages < most_stages ? stages : most_stages;
}

int choose_splits(std::int64_t row_tiles, std::int64_t column_tiles, std::int64_t slots, int least,
                  int most) {
  // What a block does once, in tiles.
  constexpr double start = 1.0;
  std::int64_t last = column_tiles < 64 ? column_tiles : 64;
  if (last > most) last = most;
  if (last < 1) last = 1;
  std::int64_t first = least < last ? least : last;
  if (first < 1) first = 1;
  std::int64_t best = first;
  double best_cost = 0;
  for (std::int64_t splits = first; splits <= last; ++splits) {
    const double cost = static_cast<double>(pieces_of(row_tiles * splits, slots)) *
                        (static_cast<double>(pieces_of(column_tiles, splits)) + start);
    // More of them only for a gain that shows.
    if (splits == first || cost < 0.98 * best_cost) {
      best = splits;
      best_cost = cost;
    }
  }
  return static_cast<int>(best);
}

int half_splits(std::int64_t row_tiles, std::int64_t slots, int least, int most) {
  // In a few rounds long and short tiles of rows come to the same.
  constexpr std::int64_t rounds = 4;
  std::int64_t splits = pieces_of(rounds * slots, row_tiles);
  if (splits < least) splits = least;
  if (splits > most) splits = most;
  if (splits > slots) splits = slots;
  return static_cast<int>(splits < 1 ? 1 : splits);
}

}  // namespace creg::cuda
