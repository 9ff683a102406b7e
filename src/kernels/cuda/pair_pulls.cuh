// All pairs once more, with a second product: out_i += sum over j of weight(s_ij) column_j. The
// products s stay in registers, become weights there, and are the left side of the second product.
#pragma once

#include <cuda_bf16.h>

#include "kernels/cuda/pair_tiles.cuh"

namespace creg::cuda {

/// Tiles of pull_pairs: each warp has 32 rows (16 in fp32, which needs registers for its parts),
/// all columns of the tile and, of the result, 128 features; more features are further blocks,
/// which compute the products again.
template <Precision P, int Warps>
struct PullShape {
  static constexpr int threads = Warps * warp_lanes;
  static constexpr int left_tiles = P == Precision::fp32 ? 1 : 2;
  static constexpr int warp_rows = left_tiles * 16;
  static constexpr int rows = Warps * warp_rows;
  static constexpr int columns = 64;
  /// Results go to memory after so many tiles: the tensor cores cut off what they add, which would
  /// show in longer sums. In fp32 they are rounded.
  static constexpr int tiles_at_once = P == Precision::fp32 ? 1 << 30 : 128;
  static constexpr int right_tiles = 8;
  static constexpr int features = 128;
  static constexpr int feature_tiles = features / 8;
};

/// Where the result goes: row r of split s at values + s split_stride + r width.
struct PullOutput {
  float* values = nullptr;
  std::int64_t split_stride = 0;
  std::int64_t width = 0;
  float scale = 1;
  bool add = false;
};

/// The weights of one warp's products as left sides of second products, by steps of `nodes`
/// columns.
template <Precision P>
struct Weights {
  static constexpr int nodes = P == Precision::bf16 ? 16 : 8;
  static constexpr int steps = 64 / nodes;
};

/// Pulls: constructed by all threads from (arguments, first of the thread's 2 or 4 rows, which are
/// 8 apart); weigh(product, which row, the column's value) gives the weight and is 0 for
/// no_product; next_tile() and finish() follow the tiles. `column_values` says whether the columns
/// have values, arguments.values, one for each with those that fill up; `with_self` whether a row
/// meets itself.
template <Precision P, int Warps, class Pulls>
__global__ void __launch_bounds__(Warps* warp_lanes, 8 / Warps)
    pull_pairs(const PairWork work, const typename Pulls::Arguments arguments,
               const PullOutput out) {
  using Shape = PullShape<P, Warps>;
  constexpr int parts = Format<P>::parts;
  constexpr int chunk_panels = Shape::features / Format<P>::features;
  constexpr int panel_tiles = Format<P>::features / 8;
  constexpr int nodes = Weights<P>::nodes;
  constexpr int steps = Weights<P>::steps;
  constexpr unsigned row_panel = Shape::rows * panel_row;
  constexpr unsigned column_panel = Shape::columns * panel_row;
  constexpr unsigned value_bytes = Shape::columns * sizeof(float);
  extern __shared__ __align__(1024) char memory[];

  const int split = static_cast<int>(blockIdx.x) % work.splits;
  const std::int64_t first_row =
      static_cast<std::int64_t>(static_cast<int>(blockIdx.x) / work.splits) * Shape::rows;
  const int first_tile = work.first_tile(split);
  const int last_tile = work.first_tile(split + 1);
  const int panels = work.rows.count;
  const int first_out = static_cast<int>(blockIdx.y) * chunk_panels;
  const int outs = panels - first_out < chunk_panels ? panels - first_out : chunk_panels;
  const int stages = work.stages;
  const bool resident = work.resident;

  // Resident: a stage holds a tile's panels, all of which are also those of the result. Else it
  // holds one panel of rows and columns, or one of the columns alone for the second product.
  const unsigned kept = shared_address(memory);
  const unsigned ring = kept + (resident ? panels * parts * row_panel : 0);
  const unsigned rows_in_stage = parts * column_panel;
  const unsigned stage_bytes =
      resident ? panels * parts * column_panel : parts * (column_panel + row_panel);
  const unsigned values = ring + stages * stage_bytes;  // of the columns, one piece per tile
  const int turns = resident ? 1 : panels + outs;       // stages of one tile

  int copied_tile = first_tile;
  int copied_turn = 0;
  int copied_stage = 0;
  const auto copy_next = [&] {
    if (copied_tile < last_tile) {
      const unsigned to = ring + copied_stage * stage_bytes;
      const std::int64_t first_column = static_cast<std::int64_t>(copied_tile) * Shape::columns;
      if (resident) {
        for (int panel = 0; panel < panels; ++panel) {
#pragma unroll
          for (int part = 0; part < parts; ++part) {
            copy_rows<Shape::threads, Shape::columns>(
                to + (panel * parts + part) * column_panel,
                work.columns.at<parts>(panel, part, first_column));
          }
        }
      } else {
        const int panel = copied_turn < panels ? copied_turn : first_out + copied_turn - panels;
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          copy_rows<Shape::threads, Shape::columns>(
              to + part * column_panel, work.columns.at<parts>(panel, part, first_column));
          if (copied_turn < panels) {
            copy_rows<Shape::threads, Shape::rows>(to + rows_in_stage + part * row_panel,
                                                   work.rows.at<parts>(panel, part, first_row));
          }
        }
      }
      if constexpr (Pulls::column_values) {
        if (copied_turn == 0 && threadIdx.x < value_bytes / panel_chunk) {
          copy_chunk(values + (copied_tile % most_stages) * value_bytes + threadIdx.x * panel_chunk,
                     arguments.values + first_column + threadIdx.x * 4);
        }
      }
      if (++copied_turn == turns) {
        copied_turn = 0;
        ++copied_tile;
      }
      if (++copied_stage == stages) copied_stage = 0;
    }
    close_copies();
  };

  if (resident) {
    for (int panel = 0; panel < panels; ++panel) {
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        copy_rows<Shape::threads, Shape::rows>(kept + (panel * parts + part) * row_panel,
                                               work.rows.at<parts>(panel, part, first_row));
      }
    }
  }
  for (int stage = 0; stage + 1 < stages; ++stage) copy_next();

  const unsigned lane = threadIdx.x % warp_lanes;
  const int group = static_cast<int>(lane / 4);
  const int member = static_cast<int>(lane % 4);
  const int warp_row = static_cast<int>(threadIdx.x / warp_lanes) * Shape::warp_rows;
  const unsigned left = left_offset() + warp_row * panel_row;
  const unsigned right = right_offset();
  // The second product's right side: for bf16, rows 0-7 and 8-15 of a chunk, then of the next; for
  // tf32 the words of nodes 2 member and 2 member + 1, as products lie beside each other in lanes.
  const unsigned second =
      P == Precision::bf16
          ? (((lane >> 3) & 1U) * 8 + (lane & 7U)) * panel_row + (((lane >> 4) ^ (lane & 7U)) << 4)
          : 2 * member * panel_row + (((group >> 2) ^ (2 * member)) << 4) + (group & 3) * 4;

  Pulls pulls(arguments, first_row + warp_row + group);
  float result[Shape::left_tiles][Shape::feature_tiles][4] = {};
  const auto put = [&](bool add) {
    float* const to = out.values + split * out.split_stride;
#pragma unroll
    for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t row = first_row + warp_row + group + (2 * m + half) * 8;
        if (row >= work.row_count) continue;
#pragma unroll
        for (int n = 0; n < Shape::feature_tiles; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            const std::int64_t feature =
                static_cast<std::int64_t>(blockIdx.y) * Shape::features + n * 8 + member * 2 + odd;
            if (feature >= out.width) continue;
            float& cell = to[row * out.width + feature];
            const float value = out.scale * result[m][n][2 * half + odd];
            cell = add ? cell + value : value;
          }
        }
      }
    }
#pragma unroll
    for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
      for (int n = 0; n < Shape::feature_tiles; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) result[m][n][i] = 0;
      }
    }
  };
  int stage = 0;
  const auto turn = [&] {
    wait_for_copies(stages - 2);
    __syncthreads();
    copy_next();
    const unsigned at = ring + stage * stage_bytes;
    if (++stage == stages) stage = 0;
    return at;
  };
  for (int tile = first_tile; tile < last_tile; ++tile) {
    const std::int64_t first_column = static_cast<std::int64_t>(tile) * Shape::columns;
    float sums[Shape::left_tiles][Shape::right_tiles][4] = {};
    unsigned at = 0;
    for (int panel = 0; panel < panels; ++panel) {
      if (!resident || panel == 0) at = turn();
      const unsigned rows_at = resident ? kept + panel * parts * row_panel : at + rows_in_stage;
      const unsigned columns_at = resident ? at + panel * parts * column_panel : at;
      multiply_panel<P, Shape::left_tiles, Shape::right_tiles>(
          sums, left + rows_at, right + columns_at, row_panel, column_panel);
    }

    if (first_column + Shape::columns > work.column_count ||
        first_row + Shape::rows > work.row_count ||
        (first_column < first_row + Shape::rows && first_row < first_column + Shape::columns)) {
#pragma unroll
      for (int n = 0; n < Shape::right_tiles; ++n) {
#pragma unroll
        for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const std::int64_t row = first_row + warp_row + group + (m * 2 + i / 2) * 8;
            const std::int64_t column = first_column + n * 8 + member * 2 + i % 2;
            if (row >= work.row_count || column >= work.column_count ||
                (!Pulls::with_self && row == column)) {
              sums[m][n][i] = no_product;
            }
          }
        }
      }
    }
    const unsigned tile_values = values + (tile % most_stages) * value_bytes;
    // Of the products of 8 columns.
    const auto weigh = [&](int n) {
      float both[2] = {};
      if constexpr (Pulls::column_values) {
        both[0] = __uint_as_float(load_word(tile_values + (n * 8 + member * 2) * 4));
        both[1] = __uint_as_float(load_word(tile_values + (n * 8 + member * 2 + 1) * 4));
      }
#pragma unroll
      for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[m][n][i] = pulls.weigh(sums[m][n][i], m * 2 + i / 2, both[i % 2]);
        }
      }
    };

    unsigned packed[Shape::left_tiles][P == Precision::bf16 ? steps : 1][4];
#pragma unroll
    for (int o = 0; o < chunk_panels; ++o) {
      if (o >= outs) break;
      if (!resident) at = turn();
      const unsigned out_at = (resident ? at + o * parts * column_panel : at) + second;
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        if (o == 0) {
#pragma unroll
          for (int n = step * nodes / 8; n < (step + 1) * nodes / 8; ++n) weigh(n);
        }
        if constexpr (P == Precision::bf16) {
          if (o == 0) {
#pragma unroll
            for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
              for (int i = 0; i < 4; ++i) {
                const float(&from)[4] = sums[m][2 * step + i / 2];
                const __nv_bfloat162 two =
                    __floats2bfloat162_rn(from[i % 2 * 2], from[i % 2 * 2 + 1]);
                packed[m][step][i] = *reinterpret_cast<const unsigned*>(&two);
              }
            }
          }
#pragma unroll
          for (int n = 0; n < panel_tiles; n += 2) {
            unsigned b[4];
            load_transposed(b, (out_at ^ (n << 4)) + step * nodes * panel_row);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
#pragma unroll
              for (int m = 0; m < Shape::left_tiles; ++m) {
                multiply_bf16(result[m][o * panel_tiles + n + half], packed[m][step], b[2 * half],
                              b[2 * half + 1]);
              }
            }
          }
        } else {
          unsigned high[Shape::left_tiles][4];
          unsigned low[Shape::left_tiles][4];
#pragma unroll
          for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
              // In the order of the left side: rows within columns.
              const float weight = sums[m][step][i % 2 * 2 + i / 2];
              high[m][i] = rounded_tf32(weight);
              if constexpr (parts == 2) {
                low[m][i] = rounded_tf32(weight - __uint_as_float(high[m][i]));
              }
            }
          }
          // Of the next row the chunk is at the place with its last bit turned.
          const auto load_both = [&](unsigned(&b)[2], int n, unsigned part) {
            const unsigned from =
                ((out_at + part * column_panel) ^ (n << 5)) + step * nodes * panel_row;
            b[0] = load_word(from);
            b[1] = load_word((from ^ (1U << 4)) + panel_row);
          };
          if constexpr (parts == 2) {
            unsigned b[2][panel_tiles][2];
            float terms[Shape::left_tiles][panel_tiles][4] = {};
#pragma unroll
            for (int n = 0; n < panel_tiles; ++n) {
              load_both(b[0][n], n, 0);
              load_both(b[1][n], n, 1);
            }
            const auto add = [&](const unsigned(&left_of)[Shape::left_tiles][4], int right_of) {
#pragma unroll
              for (int n = 0; n < panel_tiles; ++n) {
#pragma unroll
                for (int m = 0; m < Shape::left_tiles; ++m) {
                  multiply_tf32(terms[m][n], left_of[m], b[right_of][n][0], b[right_of][n][1]);
                }
              }
            };
            add(low, 0);
            add(high, 1);
            add(high, 0);
#pragma unroll
            for (int n = 0; n < panel_tiles; ++n) {
#pragma unroll
              for (int m = 0; m < Shape::left_tiles; ++m) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                  result[m][o * panel_tiles + n][i] += terms[m][n][i];
                }
              }
            }
          } else {
#pragma unroll
            for (int n = 0; n < panel_tiles; ++n) {
              unsigned b[2];
              load_both(b, n, 0);
#pragma unroll
              for (int m = 0; m < Shape::left_tiles; ++m) {
                multiply_tf32(result[m][o * panel_tiles + n], high[m], b[0], b[1]);
              }
            }
          }
        }
      }
    }
    pulls.next_tile();
    if (tile + 1 == last_tile || (tile + 1 - first_tile) % Shape::tiles_at_once == 0) {
      put(out.add || tile - first_tile >= Shape::tiles_at_once);
    }
  }
  wait_for_copies(0);
  pulls.finish();
}

/// values[i] = or += the sum over the splits, in their order.
void add_splits(const Launch& launch, const float* partial, int splits, std::int64_t size,
                float* values, bool add);

/// Starts pull_pairs and adds its splits up. `prepare`(work, warps of one split and all rows) gives
/// the Pulls' arguments.
template <Precision P, class Pulls, class Prepare>
void start_pulls(const Launch& launch, PairWork work, PullOutput out, const char* what,
                 const Prepare& prepare) {
  constexpr int parts = Format<P>::parts;
  const CardLimits card = card_limits();
  const int panels = work.rows.count;
  const auto go = [&]<int Warps>(int stage_bytes, int kept) {
    using Shape = PullShape<P, Warps>;
    const int value_bytes = most_stages * Shape::columns * static_cast<int>(sizeof(float));
    work.stages = stages_in(card.block_bytes - value_bytes - kept, stage_bytes, 2, what);
    const std::int64_t row_tiles = pieces_of(work.row_count, Shape::rows);
    const std::int64_t chunks = pieces_of(out.width, Shape::features);
    work.column_tiles = static_cast<int>(pieces_of(work.column_count, Shape::columns));
    const std::int64_t size = work.row_count * out.width;
    constexpr std::int64_t most_partial = 768LL << 20;
    const std::int64_t most = most_partial / (size * static_cast<std::int64_t>(sizeof(float)));
    constexpr std::int64_t cache_share = 12LL << 20;
    const std::int64_t row_bytes = work.resident ? 0
                                                 : static_cast<std::int64_t>(panels) * parts *
                                                       panel_row * Shape::rows * card.processors;
    work.splits = choose_splits(row_tiles * chunks, work.column_tiles, card.processors,
                                static_cast<int>(row_bytes / cache_share),
                                static_cast<int>(most < 64 ? most : 64));
    PullOutput to = out;
    if (work.splits > 1) {
      to.values = launch.scratch->array<float>(work.splits * size);
      to.split_stride = size;
      to.add = false;
    }
    const auto arguments = prepare(work, row_tiles * Warps);
    const int bytes = kept + work.stages * stage_bytes + value_bytes;
    auto* const kernel = pull_pairs<P, Warps, Pulls>;
    allow_shared_memory(kernel, bytes, what);
    kernel<<<dim3(static_cast<unsigned>(row_tiles * work.splits), static_cast<unsigned>(chunks)),
             Shape::threads, bytes, stream_of(launch)>>>(work, arguments, to);
    check_launch(what);
    if (work.splits > 1) add_splits(launch, to.values, work.splits, size, out.values, out.add);
  };
  using Large = PullShape<P, 8>;
  using Small = PullShape<P, 4>;
  const int spare = most_stages * Large::columns * static_cast<int>(sizeof(float));
  const int tile_bytes = panels * parts * panel_row * Large::columns;
  const int large_rows = panels * parts * panel_row * Large::rows;
  const int large_stage = parts * panel_row * (Large::rows + Large::columns);
  if (panels * features_of(P) <= Large::features &&
      card.block_bytes - spare - large_rows >= 2 * tile_bytes) {
    work.resident = true;
    go.template operator()<8>(tile_bytes, large_rows);
  } else if (card.block_bytes - spare >= 2 * large_stage) {
    go.template operator()<8>(large_stage, 0);
  } else {
    go.template operator()<4>(parts * panel_row * (Small::rows + Small::columns), 0);
  }
}

}  // namespace creg::cuda
