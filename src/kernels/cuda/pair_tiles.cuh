// All pairs of rows of two matrices in tiles through the tensor cores: a block keeps some rows,
// streams all others (or a share of them) through shared memory, and hands the products, which
// stay in registers, to an epilogue. Nothing of N x N is stored.
//
// Rows are first copied into panels (pair_panels.cu): 128 bytes of a row's features, rows one
// below the other, so that the panel of a tile is one piece of memory. In it the 16-byte chunk c
// of row r lies at place c ^ (r mod 8): what 8 rows have at one place is then in different banks.
// Chunks behind the last feature and rows behind the last row are 0.
#pragma once

#include "creg/core/precision.h"
#include "kernels/cuda/common.cuh"

namespace creg::cuda {

inline constexpr int panel_row = 128;  ///< bytes
inline constexpr int panel_chunk = 16;
inline constexpr int row_chunks = panel_row / panel_chunk;
inline constexpr int panel_steps = 4;  ///< products along a panel, of 32 bytes each
/// Numbers of rows are filled up to a multiple: that of the largest tile.
inline constexpr std::int64_t rows_multiple = 256;

/// fp32 is made of tf32: x = high + low, and x y = high high + high low + low high, which leaves
/// out 2^-22 of it; sums are rounded as floats are.
template <Precision P>
struct Format {
  static constexpr int parts = P == Precision::fp32 ? 2 : 1;
  static constexpr int features = P == Precision::bf16 ? 64 : 32;  ///< of a panel
};

inline int parts_of(Precision precision) {
  return precision == Precision::fp32 ? 2 : 1;
}
inline int features_of(Precision precision) {
  return precision == Precision::bf16 ? 64 : 32;
}

struct Panels {
  const char* data = nullptr;
  std::int64_t rows = 0;  ///< with those that fill up
  int count = 0;          ///< each in Format::parts parts, one behind the other

  template <int Parts>
  __device__ const char* at(int panel, int part, std::int64_t row) const {
    return data + ((static_cast<std::int64_t>(panel) * Parts + part) * rows + row) * panel_row;
  }
};

/// What goes into panels.
struct PanelSource {
  const float* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  const std::int32_t* chosen = nullptr;  ///< numbers of the rows; null: all in order
  const float* scales = nullptr;         ///< of a row by its number; null: as it is
};

/// Panels in scratch memory.
Panels make_panels(const Launch& launch, Precision precision, const PanelSource& source);

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void copy_chunk(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from));
}
__device__ inline void close_copies() {
  asm volatile("cp.async.commit_group;\n" ::);
}
/// Until no more than `open` groups of this thread's copies are under way.
__device__ inline void wait_for_copies(int open) {
  if (open <= 0) {
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
  } else if (open == 1) {
    asm volatile("cp.async.wait_group 1;\n" ::: "memory");
  } else {
    asm volatile("cp.async.wait_group 2;\n" ::: "memory");
  }
}
inline constexpr int most_stages = 4;

/// All threads of the block copy so many rows of a panel.
template <int Threads, int Rows>
__device__ inline void copy_rows(unsigned to, const char* from) {
  static_assert(Rows * row_chunks % Threads == 0);
#pragma unroll
  for (int i = 0; i < Rows * row_chunks / Threads; ++i) {
    const int offset = (i * Threads + static_cast<int>(threadIdx.x)) * panel_chunk;
    copy_chunk(to + offset, from + offset);
  }
}

__device__ inline void load_matrices(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
__device__ inline void load_transposed(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
__device__ inline unsigned load_word(unsigned from) {
  unsigned word;
  asm volatile("ld.shared.b32 %0, [%1];\n" : "=r"(word) : "r"(from));
  return word;
}

__device__ inline void multiply_tf32(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                     unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_bf16(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                     unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <Precision P>
__device__ inline void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (P == Precision::bf16) {
    multiply_bf16(sum, a, b0, b1);
  } else {
    multiply_tf32(sum, a, b0, b1);
  }
}

__device__ inline unsigned rounded_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(bits) : "f"(x));
  return bits;
}
__device__ inline float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float log_of_two(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}
inline constexpr float log2_e = 1.4426950408889634F;
inline constexpr float ln_2 = 0.6931471805599453F;

/// Stands for a product that no pair has; its exponential is 0.
inline constexpr float no_product = -1e30F;

/// Where a lane finds what it gives to load_matrices, as offsets into a panel from the first of 16
/// rows on; the k-th step of a panel is at this ^ (k << 5), as panels start at multiples of 128.
/// The left matrix comes as (rows 0-7, 8-15) x (chunk 0, 1); the right as those of rows 0-7, then
/// those of rows 8-15.
__device__ inline unsigned left_offset() {
  const unsigned lane = threadIdx.x % warp_lanes;
  return (((lane >> 3) & 1U) * 8 + (lane & 7U)) * panel_row + (((lane >> 4) ^ (lane & 7U)) << 4);
}
__device__ inline unsigned right_offset() {
  const unsigned lane = threadIdx.x % warp_lanes;
  return ((lane >> 4) * 8 + (lane & 7U)) * panel_row + ((((lane >> 3) & 1U) ^ (lane & 7U)) << 4);
}

/// sums += left · rightᵀ over one panel, for 16 LeftTiles rows by 8 RightTiles rows of one warp.
/// The addresses are those of the warp's first rows with the lane's offset; a second part lies
/// *_part bytes behind the first.
template <Precision P, int LeftTiles, int RightTiles>
__device__ inline void multiply_panel(float (&sums)[LeftTiles][RightTiles][4], unsigned left,
                                      unsigned right, unsigned left_part, unsigned right_part) {
  constexpr int parts = Format<P>::parts;
  constexpr unsigned tile_bytes = 16 * panel_row;
#pragma unroll
  for (int step = 0; step < panel_steps; ++step) {
    unsigned a[parts][LeftTiles][4];
#pragma unroll
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int m = 0; m < LeftTiles; ++m) {
        load_matrices(a[part][m], ((left + part * left_part) ^ (step << 5)) + m * tile_bytes);
      }
    }
#pragma unroll
    for (int n = 0; n < RightTiles; n += 2) {
      unsigned b[parts][4];
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        load_matrices(b[part], ((right + part * right_part) ^ (step << 5)) + n / 2 * tile_bytes);
      }
      if constexpr (parts == 2) {
        // The tensor cores cut off what they add: small sums there, the long ones here.
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float terms[LeftTiles][4] = {};
          const auto add = [&](int left_of, int right_of) {
#pragma unroll
            for (int m = 0; m < LeftTiles; ++m) {
              multiply<P>(terms[m], a[left_of][m], b[right_of][2 * half],
                          b[right_of][2 * half + 1]);
            }
          };
          add(1, 0);
          add(0, 1);
          add(0, 0);
#pragma unroll
          for (int m = 0; m < LeftTiles; ++m) {
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[m][n + half][i] += terms[m][i];
          }
        }
      } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int m = 0; m < LeftTiles; ++m) {
            multiply<P>(sums[m][n + half], a[0][m], b[0][2 * half], b[0][2 * half + 1]);
          }
        }
      }
    }
  }
}

/// The sum over the 4 lanes that hold one row of a warp's products, in all of them.
template <class T>
__device__ inline T row_sum(T value) {
  value += __shfl_xor_sync(all_lanes, value, 1);
  return value + __shfl_xor_sync(all_lanes, value, 2);
}

/// Which pairs a launch meets, in what pieces. Block b takes the rows of tile b / splits and the
/// (b mod splits)-th share of the tiles of columns: blocks that run together share rows and columns
/// in the second-level cache.
struct PairWork {
  Panels rows;
  Panels columns;
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
  int column_tiles = 0;
  int splits = 1;
  int stages = 2;         ///< of the ring of panels in shared memory: 1 to most_stages
  bool resident = false;  ///< all panels of a block's rows stay in shared memory

  __device__ int first_tile(int split) const {
    return static_cast<int>(static_cast<std::int64_t>(column_tiles) * split / splits);
  }
};

/// Tiles of visit_pairs: Warps / 2 x 2 warps of 64 x 64 products each.
template <int Warps>
struct VisitShape {
  static constexpr int threads = Warps * warp_lanes;
  static constexpr int rows = Warps / 2 * 64;
  static constexpr int columns = 128;
  static constexpr int left_tiles = 4;
  static constexpr int right_tiles = 8;
};

/// The place of a thread's products of visit_pairs in the tile: value i of sums[m][n] is that of
/// row(m, i / 2) and column(n, i % 2).
struct VisitPlace {
  int row_warp = 0;
  int column_warp = 0;
  int group = 0;   ///< of the 8 rows
  int member = 0;  ///< of the 4 lanes of a row

  __device__ VisitPlace() {
    const int lane = static_cast<int>(threadIdx.x % warp_lanes);
    const int warp = static_cast<int>(threadIdx.x / warp_lanes);
    row_warp = warp / 2;
    column_warp = warp % 2;
    group = lane / 4;
    member = lane % 4;
  }
  __device__ int row(int m, int half) const { return row_warp * 64 + m * 16 + half * 8 + group; }
  __device__ int column(int n, int odd) const {
    return column_warp * 64 + n * 8 + member * 2 + odd;
  }
};

/// Sums of visit_pairs over the rows of its tiles: of a thread's share of a row in float, over the
/// tiles in double. Each of the 4 lanes of a row keeps those of two of the eight rows they share.
class RowSums {
 public:
  /// Adds the shares of the 4 lanes of row(m, half). All lanes take part.
  __device__ void add(const VisitPlace& place, int m, int half, float share) {
    const float sum = row_sum(share);
    if (place.member == m) kept_[half] += static_cast<double>(sum);
  }
  /// One thread per row gets its sum over all columns: take(row in the tile, sum).
  template <class Shape, class Take>
  __device__ void finish(const VisitPlace& place, char* memory, const Take& take) const {
    auto* const sums = reinterpret_cast<double*>(memory);
    __syncthreads();
    for (int half = 0; half < 2; ++half) {
      sums[place.column_warp * Shape::rows + place.row(place.member, half)] = kept_[half];
    }
    __syncthreads();
    for (int row = static_cast<int>(threadIdx.x); row < Shape::rows; row += Shape::threads) {
      take(row, sums[row] + sums[Shape::rows + row]);
    }
  }

 private:
  double kept_[2] = {};
};

/// Shared memory of add_to_columns for each row of a tile: a sum of each kind for every column and
/// warp of 64 rows.
constexpr int column_bytes_per_row(int kinds) {
  return kinds * VisitShape<8>::columns * static_cast<int>(sizeof(float)) / 64;
}

/// Over the 8 lanes that hold the same 16 columns: each is left with the sums of two neighbouring
/// ones in the first places, and learns the number of the first.
__device__ inline int sum_over_groups(float (&values)[16]) {
  const auto lane = static_cast<int>(threadIdx.x % warp_lanes);
  int first = 0;
#pragma unroll
  for (int step = 0; step < 3; ++step) {
    const int size = 8 >> step;
    const int distance = 2 * size;
    const bool upper = (lane & distance) != 0;
    if (upper) first += size;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      // A bound that is known keeps the values in registers.
      if (i >= size) continue;
      const float given = upper ? values[i] : values[i + size];
      const float kept = upper ? values[i + size] : values[i];
      values[i] = kept + __shfl_xor_sync(all_lanes, given, distance);
    }
  }
  return first;
}

/// Adds what all threads have of a tile's columns, values[kind][2 n + odd] of column(n, odd), to
/// sums[column][kind]. The block has met again before it is called for the next tile.
template <class Shape, int Kinds, class T>
__device__ inline void add_to_columns(const VisitPlace& place, float (&values)[Kinds][16],
                                      float* shared, T* sums) {
#pragma unroll
  for (int kind = 0; kind < Kinds; ++kind) {
    const int first = sum_over_groups(values[kind]);
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      shared[(place.row_warp * Kinds + kind) * Shape::columns + place.column(first / 2, odd)] =
          values[kind][odd];
    }
  }
  __syncthreads();
  constexpr int places = Kinds * Shape::columns;
  for (int i = static_cast<int>(threadIdx.x); i < places; i += Shape::threads) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < Shape::rows / 64; ++warp) sum += shared[warp * places + i];
    sums[i % Shape::columns * Kinds + i / Shape::columns] += static_cast<T>(sum);
  }
}

/// What epilogues of visit_pairs that add up rows have in common: partial[split, row] is a row's
/// sum over the columns of a split.
template <class Shape>
class RowSumVisit {
 public:
  __device__ void finish(char* memory) const {
    row_sums_.finish<Shape>(place_, memory, [&](int row, double sum) {
      if (first_row_ + row < work_.row_count) {
        partial_[split_ * work_.row_count + first_row_ + row] = sum;
      }
    });
  }

 protected:
  __device__ RowSumVisit(double* partial, const PairWork& work, std::int64_t first_row, int split)
      : partial_(partial), work_(work), first_row_(first_row), split_(split) {}

  double* partial_;
  const PairWork& work_;
  std::int64_t first_row_;
  int split_;
  VisitPlace place_;
  RowSums row_sums_;
};

/// Calls the epilogue with all products of the rows first_row.. of a tile and each of the tiles
/// first_tile.. before last_tile of columns, rising. `memory` is the block's.
///
/// Epilogue<Shape>: constructed by all threads from (arguments, work, its shared memory, the first
/// row, the split); tile(sums, first column) and finish(the block's whole shared memory, then free)
/// are called by all threads together. It may synchronise the block.
template <Precision P, int Warps, template <class> class Epilogue>
__device__ inline void visit_tiles(const PairWork& work,
                                   const typename Epilogue<VisitShape<Warps>>::Arguments& arguments,
                                   std::int64_t first_row, int first_tile, int last_tile, int split,
                                   char* memory) {
  using Shape = VisitShape<Warps>;
  constexpr int parts = Format<P>::parts;
  constexpr unsigned row_panel = Shape::rows * panel_row;
  constexpr unsigned column_panel = Shape::columns * panel_row;
  const int panels = work.rows.count;
  const int stages = work.stages;

  const unsigned kept = shared_address(memory);
  const unsigned ring = kept + (work.resident ? panels * parts * row_panel : 0);
  const unsigned stage_bytes = parts * (column_panel + (work.resident ? 0 : row_panel));
  const unsigned rows_in_stage = parts * column_panel;

  // The next panel that is to be copied.
  int copied_tile = first_tile;
  int copied_panel = 0;
  int copied_stage = 0;
  const auto copy_next = [&] {
    if (copied_tile < last_tile) {
      const unsigned to = ring + copied_stage * stage_bytes;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        copy_rows<Shape::threads, Shape::columns>(
            to + part * column_panel,
            work.columns.at<parts>(copied_panel, part,
                                   static_cast<std::int64_t>(copied_tile) * Shape::columns));
        if (!work.resident) {
          copy_rows<Shape::threads, Shape::rows>(
              to + rows_in_stage + part * row_panel,
              work.rows.at<parts>(copied_panel, part, first_row));
        }
      }
      if (++copied_panel == panels) {
        copied_panel = 0;
        ++copied_tile;
      }
      if (++copied_stage == stages) copied_stage = 0;
    }
    close_copies();
  };

  if (work.resident) {
    for (int panel = 0; panel < panels; ++panel) {
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        copy_rows<Shape::threads, Shape::rows>(kept + (panel * parts + part) * row_panel,
                                               work.rows.at<parts>(panel, part, first_row));
      }
    }
  }
  for (int stage = 0; stage + 1 < stages; ++stage) copy_next();

  const VisitPlace place;
  const unsigned left = left_offset() + place.row_warp * 64 * panel_row;
  const unsigned right = right_offset() + place.column_warp * 64 * panel_row;
  Epilogue<Shape> epilogue(arguments, work, memory + (ring - kept) + stages * stage_bytes,
                           first_row, split);
  int stage = 0;
  for (int tile = first_tile; tile < last_tile; ++tile) {
    float sums[Shape::left_tiles][Shape::right_tiles][4] = {};
    for (int panel = 0; panel < panels; ++panel) {
      wait_for_copies(stages - 2);
      __syncthreads();
      copy_next();
      if (stages == 1) {
        // Nothing is copied ahead: what was asked for just now is what is multiplied next.
        wait_for_copies(0);
        __syncthreads();
      }
      const unsigned at = ring + stage * stage_bytes;
      multiply_panel<P, Shape::left_tiles, Shape::right_tiles>(
          sums, left + (work.resident ? kept + panel * parts * row_panel : at + rows_in_stage),
          right + at, row_panel, column_panel);
      if (++stage == stages) stage = 0;
    }
    epilogue.tile(sums, static_cast<std::int64_t>(tile) * Shape::columns);
  }
  wait_for_copies(0);
  __syncthreads();
  epilogue.finish(memory);
}

/// All pairs: a block per tile of rows and share of the columns.
template <Precision P, int Warps, template <class> class Epilogue>
__global__ void __launch_bounds__(Warps* warp_lanes, 8 / Warps)
    visit_pairs(const PairWork work,
                const typename Epilogue<VisitShape<Warps>>::Arguments arguments) {
  extern __shared__ __align__(1024) char memory[];
  const int split = static_cast<int>(blockIdx.x) % work.splits;
  const std::int64_t first_row =
      static_cast<std::int64_t>(static_cast<int>(blockIdx.x) / work.splits) *
      VisitShape<Warps>::rows;
  visit_tiles<P, Warps, Epilogue>(work, arguments, first_row, work.first_tile(split),
                                  work.first_tile(split + 1), split, memory);
}

/// Of a matrix with itself every pair once: a tile of rows meets the columns from its own rows on,
/// with those both ways. Blocks stay for several tiles of rows: group g of them takes g, then the
/// last of the next round, and so on to and fro, as later tiles have fewer columns.
template <Precision P, int Warps, template <class> class Epilogue>
__global__ void __launch_bounds__(Warps* warp_lanes, 8 / Warps)
    visit_half(const PairWork work,
               const typename Epilogue<VisitShape<Warps>>::Arguments arguments) {
  using Shape = VisitShape<Warps>;
  static_assert(Shape::rows % Shape::columns == 0);
  extern __shared__ __align__(1024) char memory[];
  const int split = static_cast<int>(blockIdx.x) % work.splits;
  const int group = static_cast<int>(blockIdx.x) / work.splits;
  const int groups = static_cast<int>(gridDim.x) / work.splits;
  const auto row_tiles = static_cast<int>(pieces_of(work.row_count, Shape::rows));
  for (int round = 0; round * groups < row_tiles; ++round) {
    const int row_tile = round * groups + (round % 2 == 0 ? group : groups - 1 - group);
    if (row_tile >= row_tiles) continue;
    const int begin = row_tile * (Shape::rows / Shape::columns);
    const std::int64_t tiles = work.column_tiles - begin;
    visit_tiles<P, Warps, Epilogue>(
        work, arguments, static_cast<std::int64_t>(row_tile) * Shape::rows,
        begin + static_cast<int>(tiles * split / work.splits),
        begin + static_cast<int>(tiles * (split + 1) / work.splits), split, memory);
    __syncthreads();
  }
}

// How launches of such kernels are cut.

struct CardLimits {
  int processors = 1;
  int block_bytes = 0;  ///< of shared memory that one block can have
  int both_bytes = 0;   ///< that two blocks on one processor can have each
};
CardLimits card_limits();

/// Lets a kernel have so much shared memory, and as many blocks on a processor as that allows.
template <class Kernel>
void allow_shared_memory(Kernel* kernel, int bytes, const char* what) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), what);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        what);
}

/// How many stages of the ring there is room for, up to most_stages; fewer than `least` are an
/// error.
int stages_in(int room, int stage_bytes, int least, const char* what);

/// Shares of columns such that the blocks fill the card evenly; at least `least` and at most
/// `most`, where the tiles allow it. `slots`: blocks that run together.
int choose_splits(std::int64_t row_tiles, std::int64_t column_tiles, std::int64_t slots, int least,
                  int most);

/// The same for visit_half, whose groups of as many blocks go on from one tile of rows to another.
int half_splits(std::int64_t row_tiles, std::int64_t slots, int least, int most);

enum class Visit { all, half };

/// Starts visit_pairs or visit_half with the shape that suits. `bytes_per_row`: shared memory of
/// the epilogue for each row of a tile. `most_splits`: what its partial results allow.
/// `prepare`(work as it is cut, blocks) gives the epilogue's arguments.
template <Precision P, template <class> class Epilogue, Visit Which = Visit::all, class Prepare>
void start_visit(const Launch& launch, PairWork work, int bytes_per_row, int most_splits,
                 const char* what, const Prepare& prepare) {
  constexpr int parts = Format<P>::parts;
  const CardLimits card = card_limits();
  const int panels = work.rows.count;
  const auto go = [&]<int Warps>(int slots, int ring_room, int kept) {
    using Shape = VisitShape<Warps>;
    const int stage_bytes =
        parts * panel_row * (Shape::columns + (work.resident ? 0 : Shape::rows));
    work.stages = stages_in(ring_room, stage_bytes, 1, what);
    const std::int64_t row_tiles = pieces_of(work.row_count, Shape::rows);
    work.column_tiles = static_cast<int>(pieces_of(work.column_count, Shape::columns));
    // Rows of the blocks that run together are to stay in the second-level cache.
    constexpr std::int64_t cache_share = 12LL << 20;
    const std::int64_t row_bytes =
        work.resident ? 0
                      : static_cast<std::int64_t>(panels) * parts * panel_row * Shape::rows * slots;
    const auto least_splits = static_cast<int>(row_bytes / cache_share);
    const int bytes = kept + work.stages * stage_bytes + bytes_per_row * Shape::rows;
    const auto run = [&](auto* kernel, std::int64_t blocks) {
      const auto arguments = prepare(work, blocks);
      allow_shared_memory(kernel, bytes, what);
      kernel<<<static_cast<unsigned>(blocks), Shape::threads, bytes, stream_of(launch)>>>(
          work, arguments);
      check_launch(what);
    };
    if constexpr (Which == Visit::half) {
      work.splits = half_splits(row_tiles, slots, least_splits, most_splits);
      const std::int64_t groups = slots / work.splits;
      run(visit_half<P, Warps, Epilogue>, work.splits * (groups < row_tiles ? groups : row_tiles));
    } else {
      work.splits = choose_splits(row_tiles, work.column_tiles, slots, least_splits, most_splits);
      run(visit_pairs<P, Warps, Epilogue>, row_tiles * work.splits);
    }
  };
  using Small = VisitShape<4>;
  using Large = VisitShape<8>;
  const int small_rows = panels * parts * panel_row * Small::rows;
  const int small_room = card.both_bytes - small_rows - bytes_per_row * Small::rows;
  const int large_room = card.block_bytes - bytes_per_row * Large::rows;
  const int large_stage = parts * panel_row * (Large::rows + Large::columns);
  if (small_room >= 2 * parts * panel_row * Small::columns) {
    work.resident = true;
    go.template operator()<4>(2 * card.processors, small_room, small_rows);
  } else if (large_room >= 2 * large_stage) {
    go.template operator()<8>(card.processors, large_room, 0);
  } else {
    const int room = card.block_bytes - bytes_per_row * Small::rows;
    go.template operator()<4>(card.processors, room, 0);
  }
}

}  // namespace creg::cuda
