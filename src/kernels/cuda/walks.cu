#include "kernels/walks.h"

#include "graph/non_edge_attempt.h"
#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_lists.cuh"
#include "kernels/cuda/sorted.cuh"
#include "kernels/cuda/stream.cuh"

namespace creg::cuda {

using kernels::NewCsrRows;
using kernels::NonEdges;
using kernels::WalkStarts;
using kernels::WalkWindows;

namespace {

constexpr int walk_threads = 128;

/// A thread per walk: its steps follow each other.
__global__ void __launch_bounds__(walk_threads)
    go_walks(const WalkSteps steps, const WalkStarts starts, const StepCells* cells,
             std::int32_t* nodes) {
  for (std::int64_t i = first_item(); i < starts.walks; i += item_step()) {
    const std::int64_t start = i / starts.per_start;
    std::int32_t* const own = nodes + i * starts.length;
    own[0] = starts.starts == nullptr ? static_cast<std::int32_t>(start) : starts.starts[start];
    DeviceStream stream(key_of_row(starts.key, cells, i), 0);
    steps.go(stream, own, starts.length);
  }
}

/// The first `count` attempts of one stream that succeed, by a warp: emit(i, result) for number i.
/// attempt(words, result) takes `words` words, rarely more. Lanes try side by side, each from where
/// it would start if none before it took more; those behind the first that did try again.
template <class Result, class Attempt, class Emit>
__device__ inline void draw_by_warp(const RandomKey& key, int words, std::int64_t count,
                                    const Attempt& attempt, const Emit& emit) {
  const int lane = lane_of_warp();
  const unsigned lanes_before = (1U << lane) - 1;
  std::uint64_t word = 0;
  for (std::int64_t done = 0; done < count;) {
    CountedStream stream(key, word + static_cast<std::uint64_t>(lane * words));
    Result result = {};
    const bool success = attempt(stream, result);
    const unsigned longer = __ballot_sync(all_lanes, stream.taken() != words ? 1 : 0);
    const int last = longer == 0 ? warp_lanes - 1 : __ffs(static_cast<int>(longer)) - 1;
    const bool counts = success && lane <= last;
    const unsigned successes = __ballot_sync(all_lanes, counts ? 1 : 0);
    const std::int64_t place = done + __popc(successes & lanes_before);
    if (counts && place < count) emit(place, result);
    done += __popc(successes);
    word += static_cast<std::uint64_t>(last * words + __shfl_sync(all_lanes, stream.taken(), last));
  }
}

/// Window w of walk i is item i·windows + w; its centre is its key.
__global__ void list_windows(const WalkWindows walks, std::int64_t windows, std::int32_t* keys,
                             std::int64_t* items) {
  for (std::int64_t item = first_item(); item < walks.walks * windows; item += item_step()) {
    keys[item] = walks.walked[item / windows * walks.length + item % windows];
    items[item] = item;
  }
}

__global__ void multiply_offsets(const std::int64_t* windows, std::int64_t nodes, std::int64_t near,
                                 std::int64_t far, std::int64_t* positives,
                                 std::int64_t* negatives) {
  for (std::int64_t i = first_item(); i <= nodes; i += item_step()) {
    positives[i] = windows[i] * near;
    negatives[i] = windows[i] * far;
  }
}

/// Item items[t] is window number t by centre: its positives, and places[item] = t.
__global__ void put_positives(const WalkWindows walks, std::int64_t windows, std::int64_t near,
                              const std::int64_t* items, std::int64_t* places,
                              std::int32_t* columns) {
  for (std::int64_t i = first_item(); i < walks.walks * windows * near; i += item_step()) {
    const std::int64_t t = i / near;
    const std::int64_t d = i % near;
    const std::int64_t item = items[t];
    columns[i] = walks.walked[item / windows * walks.length + item % windows + 1 + d];
    if (d == 0) places[item] = t;
  }
}

/// A warp per walk draws what stands beside its windows, one after the other.
__global__ void __launch_bounds__(list_threads)
    put_negatives(const WalkWindows walks, const StepCells* cells, std::int64_t windows,
                  std::int64_t far, const std::int64_t* places, std::int32_t* columns) {
  const auto bound = static_cast<std::uint64_t>(walks.nodes);
  for (std::int64_t i = first_warp_row(); i < walks.walks; i += warp_row_step()) {
    draw_by_warp<std::int32_t>(
        key_of_row(walks.key, cells, i), 1, windows * far,
        [&](CountedStream& stream, std::int32_t& node) {
          node = static_cast<std::int32_t>(uniform_below(stream, bound));
          return true;
        },
        [&](std::int64_t number, std::int32_t node) {
          const std::int64_t place = places[i * windows + number / far];
          columns[place * far + number % far] = node;
        });
  }
}

struct DrawnPair {
  std::int32_t from;
  std::int32_t to;
};

/// A warp per stream.
__global__ void __launch_bounds__(list_threads)
    draw_pairs(const NonEdges graph, const StepCells* cells, std::int64_t count, std::int32_t* from,
               std::int32_t* to) {
  const std::int64_t streams = pieces_of(count, graph.per_stream);
  // One draw among those listed, of 32 bits or of 64; else two nodes.
  const bool narrow = graph.listed != nullptr && graph.listed_count <= 0xffffffffLL;
  for (std::int64_t s = first_warp_row(); s < streams; s += warp_row_step()) {
    const std::int64_t begin = s * graph.per_stream;
    const std::int64_t rest = count - begin;
    draw_by_warp<DrawnPair>(
        key_of_row(graph.key, cells, s), narrow ? 1 : 2,
        rest < graph.per_stream ? rest : graph.per_stream,
        [&](CountedStream& stream, DrawnPair& pair) {
          if (graph.listed == nullptr) {
            return try_non_edge(stream, graph.nodes, graph.offsets, graph.columns, pair.from,
                                pair.to);
          }
          const std::uint64_t number =
              uniform_below(stream, static_cast<std::uint64_t>(graph.listed_count));
          pair = {graph.listed[2 * number], graph.listed[2 * number + 1]};
          return true;
        },
        [&](std::int64_t number, const DrawnPair& pair) {
          from[begin + number] = pair.from;
          to[begin + number] = pair.to;
        });
  }
}

}  // namespace

void walk(const Launch& launch, const WalkSteps& steps, const WalkStarts& starts,
          std::int32_t* nodes) {
  if (starts.walks == 0) return;
  go_walks<<<grid_for(starts.walks, walk_threads), walk_threads, 0, stream_of(launch)>>>(
      steps, starts, launch.cells, nodes);
  check_launch("walks");
}

void pair_windows(const Launch& launch, const WalkWindows& windows, const NewCsrRows& positives,
                  const NewCsrRows& negatives) {
  const cudaStream_t stream = stream_of(launch);
  const std::int64_t each = windows.windows_each();
  const std::int64_t near = windows.positives_each();
  const std::int64_t far = windows.negatives_each();
  const std::int64_t count = windows.walks * each;
  auto* const starts = launch.scratch->array<std::int64_t>(windows.nodes + 1);
  if (count == 0) {
    const auto bytes = static_cast<std::size_t>(windows.nodes + 1) * sizeof(std::int64_t);
    check(cudaMemsetAsync(positives.offsets, 0, bytes, stream), "walks");
    check(cudaMemsetAsync(negatives.offsets, 0, bytes, stream), "walks");
    return;
  }
  auto* const keys = launch.scratch->array<std::int32_t>(count);
  auto* const items = launch.scratch->array<std::int64_t>(count);
  auto* const places = launch.scratch->array<std::int64_t>(count);
  list_windows<<<grid_for(count, list_threads), list_threads, 0, stream>>>(windows, each, keys,
                                                                           items);
  check_launch("walks");
  const auto sorted = sort_pairs(launch, keys, items, count, bits_below(windows.nodes));
  start_find_offsets(launch, sorted.keys, count, windows.nodes, starts);
  multiply_offsets<<<grid_for(windows.nodes + 1, list_threads), list_threads, 0, stream>>>(
      starts, windows.nodes, near, far, positives.offsets, negatives.offsets);
  put_positives<<<grid_for(count * near, list_threads), list_threads, 0, stream>>>(
      windows, each, near, sorted.items, places, positives.columns);
  put_negatives<<<warp_row_blocks(windows.walks), list_threads, 0, stream>>>(
      windows, launch.cells, each, far, places, negatives.columns);
  check_launch("walks");
}

void draw_non_edges(const Launch& launch, const NonEdges& graph, std::int64_t count,
                    const NewCsrRows& out) {
  const cudaStream_t stream = stream_of(launch);
  if (count == 0) {
    check(cudaMemsetAsync(out.offsets, 0,
                          static_cast<std::size_t>(graph.nodes + 1) * sizeof(std::int64_t), stream),
          "non-edges");
    return;
  }
  auto* const from = launch.scratch->array<std::int32_t>(count);
  auto* const to = launch.scratch->array<std::int32_t>(count);
  draw_pairs<<<warp_row_blocks(pieces_of(count, graph.per_stream)), list_threads, 0, stream>>>(
      graph, launch.cells, count, from, to);
  check_launch("non-edges");
  const auto sorted = sort_pairs(launch, from, to, count, bits_below(graph.nodes));
  start_find_offsets(launch, sorted.keys, count, graph.nodes, out.offsets);
  check(cudaMemcpyAsync(out.columns, sorted.items,
                        static_cast<std::size_t>(count) * sizeof(std::int32_t),
                        cudaMemcpyDeviceToDevice, stream),
        "non-edges");
}

}  // namespace creg::cuda
