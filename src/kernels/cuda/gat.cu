#include "kernels/gat.h"

#include <type_traits>

#include "kernels/aggregate.h"
#include "kernels/cuda/common.cuh"
#include "kernels/cuda/row_teams.cuh"

namespace creg::cuda {

using kernels::GatGradient;
using kernels::GatInputs;
using kernels::GatShape;

namespace {

constexpr float infinity = __builtin_huge_valf();

__device__ inline float masked(const float* mask, std::int64_t place, float weight) {
  return mask == nullptr ? weight : weight * mask[place];
}

/// The heads of a row's entries among its threads: as many heads side by side as divide both their
/// number and a warp, so that neighbouring threads read neighbouring places.
struct HeadLanes {
  int shift;

  __device__ explicit HeadLanes(std::int64_t heads) {
    const int lowest = __ffsll(heads) - 1;
    shift = lowest < 5 ? lowest : 5;
  }
  __device__ int period() const { return 1 << shift; }

  /// Calls body(head) for this thread's heads, in all threads alike.
  template <class Team, class Body>
  __device__ void for_heads(Team team, std::int64_t heads, const Body& body) const {
    for (std::int64_t h = 0; h < heads; h += period()) body(h + (team.place() & (period() - 1)));
  }
  /// Calls body(e) for this thread's entries of first..last-1.
  template <class Team, class Body>
  __device__ void for_entries(Team team, std::int64_t first, std::int64_t last,
                              const Body& body) const {
    for (std::int64_t e = first + (team.place() >> shift); e < last; e += team.threads >> shift) {
      body(e);
    }
  }
  template <class Team>
  __device__ bool leads(Team team) const {
    return team.place() < period();
  }
};

/// a·x by `Group` lanes side by side, in all of them; `place` is the lane's in the group. Lanes of
/// a group that has nothing to do (not active) take part with 0.
template <int Width, int Group>
__device__ inline float group_dot(const float* a, const float* x, std::int64_t count, int place,
                                  bool active) {
  float sum = 0;
  if (active) {
    for (std::int64_t c = static_cast<std::int64_t>(place) * Width; c < count; c += Group * Width) {
      float left[Width];
      float right[Width];
      load<Width>(a + c, left);
      load<Width>(x + c, right);
#pragma unroll
      for (int l = 0; l < Width; ++l) sum += left[l] * right[l];
    }
  }
#pragma unroll
  for (int distance = Group / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(all_lanes, sum, distance);
  }
  return sum;
}

/// A group of lanes per slot and head: heads of a row lie side by side, so that z is read straight
/// through.
template <int Width, int Group>
__global__ void __launch_bounds__(team_threads) score_slots(const GatInputs inputs) {
  constexpr int items_each = warp_lanes / Group;
  const GatShape& shape = inputs.shape;
  const std::int64_t items = inputs.slots * shape.heads;
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  for (std::int64_t start = first_item() / warp_lanes * items_each; start < items;
       start += item_step() / warp_lanes * items_each) {
    const std::int64_t item = start + lane / Group;
    const bool active = item < items;
    const std::int64_t head = active ? item % shape.heads : 0;
    const float* const row = inputs.z + (active ? item : 0) * shape.channels;
    const float source = group_dot<Width, Group>(inputs.att_source + head * shape.channels, row,
                                                 shape.channels, lane % Group, active);
    const float target = group_dot<Width, Group>(inputs.att_target + head * shape.channels, row,
                                                 shape.channels, lane % Group, active);
    if (active && lane % Group == 0) {
      inputs.scores.source[item] = source;
      inputs.scores.target[item] = target;
    }
  }
}

/// The softmax of every row's scores, head by head.
__global__ void __launch_bounds__(team_threads) weigh_entries(const GatInputs inputs) {
  const GatShape& shape = inputs.shape;
  const std::int64_t heads = shape.heads;
  const HeadLanes lanes(heads);
  for_row_teams(inputs.rows.rows, inputs.rows.offsets, [&](auto team, std::int64_t r) {
    const std::int64_t first = inputs.rows.offsets[r];
    const std::int64_t last = inputs.rows.offsets[r + 1];
    const std::int64_t own = shape.slot(r) * heads;
    lanes.for_heads(team, heads, [&](std::int64_t head) {
      const float target = inputs.scores.target[own + head];
      // The largest so far, and the sum of exponentials below it.
      float top = -infinity;
      float sum = 0;
      lanes.for_entries(team, first, last, [&](std::int64_t e) {
        const std::int64_t source = shape.slot(inputs.rows.columns[e]) * heads + head;
        float score = inputs.scores.source[source] + target;
        score = score > 0 ? score : shape.negative_slope * score;
        inputs.weights[e * heads + head] = score;
        if (score > top) {
          sum = sum * expf(top - score) + 1;
          top = score;
        } else {
          sum += expf(score - top);
        }
      });
      const float all_top = team.largest(top, lanes.period());
      // A thread without entries has nothing to scale.
      sum = team.sum(sum == 0 ? 0.0F : sum * expf(top - all_top), lanes.period());
      const float inverse = 1.0F / sum;
      lanes.for_entries(team, first, last, [&](std::int64_t e) {
        float& weight = inputs.weights[e * heads + head];
        weight = expf(weight - all_top) * inverse;
      });
    });
  });
}

/// Rows to be added with a weight per entry and head.
struct WeightedRows {
  std::int64_t rows = 0;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int32_t* order = nullptr;   ///< column c reads row order[c] of x; null: row c
  const std::int64_t* linked = nullptr;  ///< entry t has the weights of linked[t]; null: of t
  const float* weights = nullptr;
  const float* mask = nullptr;
  std::int64_t heads = 0;
  std::int64_t channels = 0;
  const float* x = nullptr;

  __device__ std::int64_t width() const { return heads * channels; }
};

template <int Width, int Chunks>
__device__ inline void add_weighted(const WeightedRows& rows, std::int64_t first, std::int64_t last,
                                    std::int64_t column, Lane<Width, Chunks>& lane) {
  const int place = static_cast<int>(threadIdx.x) % warp_lanes;
  const std::int64_t width = rows.width();
  int head[Chunks];
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    head[c] = static_cast<int>((column + c * warp_lanes * Width) / rows.channels);
  }
  for (std::int64_t start = first; start < last; start += warp_lanes) {
    std::int32_t source = 0;
    std::int64_t linked = 0;
    if (start + place < last) {
      source = rows.columns[start + place];
      if (rows.order != nullptr) source = rows.order[source];
      if (rows.linked != nullptr) linked = rows.linked[start + place];
    }
    const int count = last - start < warp_lanes ? static_cast<int>(last - start) : warp_lanes;
#pragma unroll 4
    for (int e = 0; e < count; ++e) {
      const std::int64_t row = __shfl_sync(all_lanes, source, e);
      const std::int64_t other = __shfl_sync(all_lanes, linked, e);
      const std::int64_t entry = (rows.linked == nullptr ? start + e : other) * rows.heads;
      const float* const x = rows.x + row * width + column;
#pragma unroll
      for (int c = 0; c < Chunks; ++c) {
        if (column + c * warp_lanes * Width < width) {
          const float weight = masked(rows.mask, entry + head[c], rows.weights[entry + head[c]]);
          float values[Width];
          load<Width>(x + c * warp_lanes * Width, values);
#pragma unroll
          for (int l = 0; l < Width; ++l) lane.sum[c][l] += weight * values[l];
        }
      }
    }
  }
}

template <int Width, int Chunks>
__global__ void __launch_bounds__(team_threads) gather_rows(const WeightedRows rows, float* out) {
  const std::int64_t width = rows.width();
  sum_rows<Width, Chunks>(
      rows.rows, rows.offsets,
      [&](std::int64_t first, std::int64_t last, std::int64_t column, auto& lane) {
        add_weighted<Width, Chunks>(rows, first, last, column, lane);
      },
      [&](std::int64_t r, std::int64_t column, auto& lane) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
          const std::int64_t j = column + c * warp_lanes * Width;
          if (j < width) store<Width>(lane.sum[c], out + r * width + j);
        }
      });
}

/// d_z: what the node's outgoing entries bring back, and what its own scores do.
template <int Width, int Chunks>
__global__ void __launch_bounds__(team_threads)
    gather_gradients(const WeightedRows rows, const GatGradient gradient) {
  const std::int64_t width = rows.width();
  const GatInputs& inputs = gradient.inputs;
  sum_rows<Width, Chunks>(
      rows.rows, rows.offsets,
      [&](std::int64_t first, std::int64_t last, std::int64_t column, auto& lane) {
        add_weighted<Width, Chunks>(rows, first, last, column, lane);
      },
      [&](std::int64_t r, std::int64_t column, auto& lane) {
        const std::int64_t slot = inputs.shape.slot(r);
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
          const std::int64_t j = column + c * warp_lanes * Width;
          if (j >= width) continue;
          const std::int64_t place = slot * rows.heads + j / rows.channels;
          const float source = gradient.d_scores.source[place];
          const float target = gradient.d_scores.target[place];
          float att_source[Width];
          float att_target[Width];
          load<Width>(inputs.att_source + j, att_source);
          load<Width>(inputs.att_target + j, att_target);
#pragma unroll
          for (int l = 0; l < Width; ++l) {
            lane.sum[c][l] += source * att_source[l] + target * att_target[l];
          }
          store<Width>(lane.sum[c], gradient.d_z + slot * width + j);
        }
      });
}

/// The gradient of every entry's weight: a group of lanes per entry and head.
template <int Width, int Group>
__global__ void __launch_bounds__(team_threads) weight_gradients(const GatGradient gradient) {
  const GatInputs& inputs = gradient.inputs;
  const GatShape& shape = inputs.shape;
  const auto heads = static_cast<int>(shape.heads);
  const std::int64_t width = shape.width();
  for_row_teams(inputs.rows.rows, inputs.rows.offsets, [&](auto team, std::int64_t r) {
    constexpr int together = team.threads / Group;
    const std::int64_t last = inputs.rows.offsets[r + 1];
    const int step_entries = together / heads;
    const int step_heads = together % heads;
    const int item = team.place() / Group;
    std::int64_t e = inputs.rows.offsets[r] + item / heads;
    int head = item % heads;
    while (__any_sync(all_lanes, e < last ? 1 : 0) != 0) {
      const bool active = e < last;
      const std::int64_t slot = active ? shape.slot(inputs.rows.columns[e]) : 0;
      const std::int64_t part = static_cast<std::int64_t>(head) * shape.channels;
      const float product =
          group_dot<Width, Group>(gradient.d_out + r * width + part, inputs.z + slot * width + part,
                                  shape.channels, team.place() % Group, active);
      if (active && team.place() % Group == 0) {
        const std::int64_t place = e * heads + head;
        gradient.d_entries[place] = masked(inputs.rows.mask, place, product);
      }
      e += step_entries;
      head += step_heads;
      if (head >= heads) {
        head -= heads;
        ++e;
      }
    }
  });
}

/// From the gradient of the weights to that of the scores before LeakyReLU: the softmax takes its
/// mean off. Their sums over each row are what the target's part gets.
__global__ void __launch_bounds__(team_threads) score_gradients(const GatGradient gradient) {
  const GatInputs& inputs = gradient.inputs;
  const GatShape& shape = inputs.shape;
  const std::int64_t heads = shape.heads;
  const HeadLanes lanes(heads);
  for_row_teams(inputs.rows.rows, inputs.rows.offsets, [&](auto team, std::int64_t r) {
    const std::int64_t first = inputs.rows.offsets[r];
    const std::int64_t last = inputs.rows.offsets[r + 1];
    const std::int64_t own = shape.slot(r) * heads;
    lanes.for_heads(team, heads, [&](std::int64_t head) {
      float mean = 0;
      lanes.for_entries(team, first, last, [&](std::int64_t e) {
        mean += inputs.weights[e * heads + head] * gradient.d_entries[e * heads + head];
      });
      mean = team.sum(mean, lanes.period());
      const float target = inputs.scores.target[own + head];
      float sum = 0;
      lanes.for_entries(team, first, last, [&](std::int64_t e) {
        const std::int64_t source = shape.slot(inputs.rows.columns[e]) * heads + head;
        const float slope = inputs.scores.source[source] + target > 0 ? 1.0F : shape.negative_slope;
        float& d = gradient.d_entries[e * heads + head];
        d = slope * inputs.weights[e * heads + head] * (d - mean);
        sum += d;
      });
      sum = team.sum(sum, lanes.period());
      if (lanes.leads(team)) gradient.d_scores.target[own + head] = sum;
    });
  });
}

/// The same sums over the columns, for the source's part.
__global__ void __launch_bounds__(team_threads) source_gradients(const GatGradient gradient) {
  const GatShape& shape = gradient.inputs.shape;
  const std::int64_t heads = shape.heads;
  const HeadLanes lanes(heads);
  for_row_teams(gradient.transposed.rows, gradient.transposed.offsets,
                [&](auto team, std::int64_t r) {
                  const std::int64_t first = gradient.transposed.offsets[r];
                  const std::int64_t last = gradient.transposed.offsets[r + 1];
                  const std::int64_t own = shape.slot(r) * heads;
                  lanes.for_heads(team, heads, [&](std::int64_t head) {
                    float sum = 0;
                    lanes.for_entries(team, first, last, [&](std::int64_t t) {
                      sum += gradient.d_entries[gradient.linked[t] * heads + head];
                    });
                    sum = team.sum(sum, lanes.period());
                    if (lanes.leads(team)) gradient.d_scores.source[own + head] = sum;
                  });
                });
}

constexpr int piece_lanes = 8;  // of a block, over the slots of a piece

/// A block per piece of slots and 32 columns: both attention vectors in one pass over z.
__global__ void __launch_bounds__(warp_lanes* piece_lanes)
    attention_pieces(const GatGradient gradient) {
  __shared__ float sums[2][piece_lanes][warp_lanes];
  const GatShape& shape = gradient.inputs.shape;
  const std::int64_t width = shape.width();
  const std::int64_t slots = gradient.inputs.slots;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * warp_lanes + threadIdx.x;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kernels::rows_per_sum;
  const std::int64_t end =
      begin + kernels::rows_per_sum < slots ? begin + kernels::rows_per_sum : slots;
  float source = 0;
  float target = 0;
  if (column < width) {
    const std::int64_t head = column / shape.channels;
#pragma unroll 4
    for (std::int64_t p = begin + threadIdx.y; p < end; p += piece_lanes) {
      const float z = gradient.inputs.z[p * width + column];
      source += gradient.d_scores.source[p * shape.heads + head] * z;
      target += gradient.d_scores.target[p * shape.heads + head] * z;
    }
  }
  sums[0][threadIdx.y][threadIdx.x] = source;
  sums[1][threadIdx.y][threadIdx.x] = target;
  __syncthreads();
  if (threadIdx.y >= 2 || column >= width) return;
  float total = 0;
  for (int l = 0; l < piece_lanes; ++l) total += sums[threadIdx.y][l][threadIdx.x];
  gradient.sums[(2 * static_cast<std::int64_t>(blockIdx.x) + threadIdx.y) * width + column] = total;
}

template <int Value>
using Constant = std::integral_constant<int, Value>;

/// Calls start(width, group): values a lane reads at once, and the fewest lanes that read a head
/// together.
template <class Start>
void with_group(std::int64_t channels, const Start& start) {
  const auto with_width = [&](auto width) {
    const std::int64_t reads = pieces_of(channels, width.value);
    if (reads <= 4) {
      start(width, Constant<4>());
    } else if (reads <= 8) {
      start(width, Constant<8>());
    } else if (reads <= 16) {
      start(width, Constant<16>());
    } else {
      start(width, Constant<32>());
    }
  };
  if (channels % 4 == 0) {
    with_width(Constant<4>());
  } else {
    with_width(Constant<1>());
  }
}

/// Calls start(width, chunks) of Lane for rows this wide.
template <class Start>
void with_lane(const GatShape& shape, const Start& start) {
  if (shape.channels % 4 != 0) {
    start(Constant<1>(), Constant<4>());
  } else if (shape.width() <= 128) {
    start(Constant<4>(), Constant<1>());
  } else if (shape.width() <= 256) {
    start(Constant<4>(), Constant<2>());
  } else {
    start(Constant<4>(), Constant<4>());
  }
}

dim3 lane_grid(std::int64_t rows, std::int64_t width, std::int64_t tile) {
  return {team_blocks(rows), static_cast<unsigned>(pieces_of(width, tile))};
}

}  // namespace

void gat_forward(const Launch& launch, const GatInputs& inputs, float* out) {
  const cudaStream_t stream = stream_of(launch);
  const GatShape& shape = inputs.shape;
  const std::int64_t rows = inputs.rows.rows;
  if (inputs.slots == 0 || shape.width() == 0) return;
  with_group(shape.channels, [&](auto width, auto group) {
    constexpr int lanes = group.value;
    const unsigned blocks = grid_for(inputs.slots * shape.heads * lanes, team_threads);
    score_slots<width.value, lanes><<<blocks, team_threads, 0, stream>>>(inputs);
  });
  if (rows > 0) {
    weigh_entries<<<team_blocks(rows), team_threads, 0, stream>>>(inputs);
    const WeightedRows weighted{.rows = rows,
                                .offsets = inputs.rows.offsets,
                                .columns = inputs.rows.columns,
                                .order = shape.order,
                                .weights = inputs.weights,
                                .mask = inputs.rows.mask,
                                .heads = shape.heads,
                                .channels = shape.channels,
                                .x = inputs.z};
    with_lane(shape, [&](auto width, auto chunks) {
      constexpr int tile = Lane<width.value, chunks.value>::tile;
      gather_rows<width.value, chunks.value>
          <<<lane_grid(rows, shape.width(), tile), team_threads, 0, stream>>>(weighted, out);
    });
  }
  check_launch("gat_aggregate");
}

void gat_backward(const Launch& launch, const GatGradient& gradient) {
  const cudaStream_t stream = stream_of(launch);
  const GatInputs& inputs = gradient.inputs;
  const GatShape& shape = inputs.shape;
  if (shape.width() == 0) return;
  if (inputs.rows.rows > 0) {
    const unsigned blocks = team_blocks(inputs.rows.rows);
    with_group(shape.channels, [&](auto width, auto group) {
      weight_gradients<width.value, group.value><<<blocks, team_threads, 0, stream>>>(gradient);
    });
    score_gradients<<<blocks, team_threads, 0, stream>>>(gradient);
  }
  if (gradient.transposed.rows > 0) {
    source_gradients<<<team_blocks(gradient.transposed.rows), team_threads, 0, stream>>>(gradient);
    const WeightedRows weighted{.rows = gradient.transposed.rows,
                                .offsets = gradient.transposed.offsets,
                                .columns = gradient.transposed.columns,
                                .linked = gradient.linked,
                                .weights = inputs.weights,
                                .mask = inputs.rows.mask,
                                .heads = shape.heads,
                                .channels = shape.channels,
                                .x = gradient.d_out};
    with_lane(shape, [&](auto width, auto chunks) {
      constexpr int tile = Lane<width.value, chunks.value>::tile;
      gather_gradients<width.value, chunks.value>
          <<<lane_grid(weighted.rows, shape.width(), tile), team_threads, 0, stream>>>(weighted,
                                                                                       gradient);
    });
  }
  const dim3 grid(static_cast<unsigned>(kernels::sum_pieces(inputs.slots)),
                  static_cast<unsigned>(pieces_of(shape.width(), warp_lanes)));
  attention_pieces<<<grid, dim3(warp_lanes, piece_lanes), 0, stream>>>(gradient);
  check_launch("gat_aggregate");
}

}  // namespace creg::cuda
