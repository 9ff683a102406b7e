#include "kernels/similarity.h"

#include "kernels/cuda/pair_tiles.cuh"

namespace creg::cuda {

using kernels::RowNorms;
using kernels::SimilarityPass;
using kernels::vacant_place;

namespace {

constexpr float nothing = -INFINITY;
// Similarities are taken for at least this, so that all have a logarithm; too small to show.
constexpr float tiny = 1e-37F;

/// Of two entries of a list: by falling value, then rising number.
__device__ bool comes_before(float value, std::int32_t index, float other, std::int32_t its_index) {
  return value > other || (value == other && index < its_index);
}

struct ListArguments {
  std::int64_t k = 0;
  const std::int32_t* chosen = nullptr;
  bool with_self = true;
  int room = 0;             ///< of a row's candidates, at most a warp's lanes
  float* values = nullptr;  ///< of split s, row r from (s rows + r) k on
  std::int32_t* indices = nullptr;
  bool entropies = false;
  const float* scales = nullptr;  ///< of nodes; null: products are similarities
  double* sums = nullptr;         ///< of s and of s log2 s: two for each split and row
};

/// The running best k of each row, in global memory, and entropies. What reaches the last of a
/// row's list waits among the row's candidates in shared memory; when there is no more room for
/// some row, candidates join their lists. Which candidates wait in which order depends on time, the
/// lists do not: their order is a total one.
template <class Shape>
class ListsAndEntropies {
 public:
  using Arguments = ListArguments;

  static constexpr int bytes_per_row(int room) {
    return static_cast<int>(sizeof(float) + sizeof(int)) +
           room * static_cast<int>(sizeof(float) + sizeof(std::int32_t));
  }

  __device__ ListsAndEntropies(const ListArguments& arguments, const PairWork& work, char* memory,
                               std::int64_t first_row, int split)
      : arguments_(arguments),
        work_(work),
        first_row_(first_row),
        split_(split),
        bounds_(reinterpret_cast<float*>(memory)),
        waiting_(reinterpret_cast<int*>(bounds_ + Shape::rows)),
        values_(reinterpret_cast<float*>(waiting_ + Shape::rows)),
        indices_(reinterpret_cast<std::int32_t*>(values_ + Shape::rows * arguments.room)) {
    if (arguments_.k == 0) return;
    for (int row = static_cast<int>(threadIdx.x); row < Shape::rows; row += Shape::threads) {
      // Nothing comes into the lists of rows that fill up.
      bounds_[row] = first_row + row < work.row_count ? nothing : INFINITY;
      waiting_[row] = 0;
    }
    const std::int64_t rest = work.row_count - first_row;
    const std::int64_t places = (rest < Shape::rows ? rest : Shape::rows) * arguments_.k;
    const std::int64_t first = list_of(0);
    for (std::int64_t i = threadIdx.x; i < places; i += Shape::threads) {
      arguments_.values[first + i] = nothing;
      arguments_.indices[first + i] = vacant_place;
    }
    __syncthreads();
  }

  template <int M, int N>
  __device__ void tile(float (&sums)[M][N][4], std::int64_t first_column) {
    if (arguments_.entropies) add_entropies(sums, first_column);
    if (arguments_.k == 0) return;
    bool left = offer<false>(sums, first_column);
    while (__syncthreads_or(left ? 1 : 0) != 0) {
      join(arguments_.room / 2);
      __syncthreads();
      // Of equal values in one tile the first number counts, whichever was offered first.
      left = offer<true>(sums, first_column);
    }
  }

  __device__ void finish(char* memory) {
    if (arguments_.k > 0) {
      join(1);
      __syncthreads();
    }
    if (!arguments_.entropies) return;
    const auto put = [&](int which) {
      return [this, which](int row, double sum) {
        if (first_row_ + row >= work_.row_count) return;
        arguments_.sums[(split_ * work_.row_count + first_row_ + row) * 2 + which] = sum;
      };
    };
    s_.template finish<Shape>(place_, memory, put(0));
    s_log_s_.template finish<Shape>(place_, memory, put(1));
  }

 private:
  __device__ std::int64_t list_of(int row) const {
    return (split_ * work_.row_count + first_row_ + row) * arguments_.k;
  }

  __device__ std::int64_t number_of(std::int64_t row) const {
    return arguments_.chosen == nullptr ? row : arguments_.chosen[row];
  }

  template <int M, int N>
  __device__ void add_entropies(const float (&sums)[M][N][4], std::int64_t first_column) {
    const bool scaled = arguments_.scales != nullptr;
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float scale = 1;
        if (scaled) {
          const std::int64_t row = first_row_ + place_.row(m, half);
          if (row < work_.row_count) scale = arguments_.scales[number_of(row)];
        }
        float sum = 0;
        float sum_log = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            float s = sums[m][n][2 * half + odd];
            if (scaled) {
              const std::int64_t column = first_column + place_.column(n, odd);
              s *= scale * (column < work_.column_count ? arguments_.scales[column] : 0.0F);
            }
            s = fmaxf(s, tiny);
            sum += s;
            sum_log = fmaf(s, log_of_two(s), sum_log);
          }
        }
        s_.add(place_, m, half, sum);
        s_log_s_.add(place_, m, half, sum_log);
      }
    }
  }

  /// Puts what reaches the bounds among the candidates and strikes it out of the sums; true when
  /// something found no room.
  template <bool OrEqual, int M, int N>
  __device__ bool offer(float (&sums)[M][N][4], std::int64_t first_column) {
    bool left = false;
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = place_.row(m, half);
        const float bound = bounds_[row];
        float best = nothing;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          best = fmaxf(best, fmaxf(sums[m][n][2 * half], sums[m][n][2 * half + 1]));
        }
        if (!(OrEqual ? best >= bound && best > nothing : best > bound)) continue;
        const std::int64_t own = first_row_ + row;
        const std::int64_t self = arguments_.with_self ? -1 : number_of(own);
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            float& value = sums[m][n][2 * half + odd];
            if (!(OrEqual ? value >= bound && value > nothing : value > bound)) continue;
            const std::int64_t column = first_column + place_.column(n, odd);
            if (column < work_.column_count && column != self) {
              const int slot = atomicAdd(&waiting_[row], 1);
              if (slot >= arguments_.room) {
                left = true;
                continue;
              }
              values_[row * arguments_.room + slot] = value;
              indices_[row * arguments_.room + slot] = static_cast<std::int32_t>(column);
            }
            value = nothing;
          }
        }
      }
    }
    return left;
  }

  /// The candidates of all rows with at least so many join their lists: a warp per row. The block
  /// has been synchronised.
  __device__ void join(int least) {
    const int lane = static_cast<int>(threadIdx.x % warp_lanes);
    for (int row = static_cast<int>(threadIdx.x / warp_lanes); row < Shape::rows;
         row += Shape::threads / warp_lanes) {
      const int asked = waiting_[row];
      if (asked < least) continue;
      join_row(row, asked < arguments_.room ? asked : arguments_.room, lane);
    }
  }

  /// An entry's place is the number of those that come before it: in its own list or among the
  /// candidates, and in the other.
  __device__ void join_row(int row, int count, int lane) {
    const int k = static_cast<int>(arguments_.k);
    float* const values = arguments_.values + list_of(row);
    std::int32_t* const indices = arguments_.indices + list_of(row);
    float value = nothing;
    std::int32_t index = vacant_place;
    if (lane < count) {
      value = values_[row * arguments_.room + lane];
      index = indices_[row * arguments_.room + lane];
    }
    int place = 0;
    for (int c = 0; c < count; ++c) {
      const float other = __shfl_sync(all_lanes, value, c);
      const std::int32_t its_index = __shfl_sync(all_lanes, index, c);
      if (comes_before(other, its_index, value, index)) ++place;
    }
    float last = nothing;
    bool has_last = false;
    // From the end: entries only move back, to places that have been read.
    for (int first = (k - 1) / warp_lanes * warp_lanes; first >= 0; first -= warp_lanes) {
      const bool there = first + lane < k;
      const float own = there ? values[first + lane] : nothing;
      const std::int32_t own_index = there ? indices[first + lane] : vacant_place;
      int to = first + lane;
      for (int c = 0; c < count; ++c) {
        const float other = __shfl_sync(all_lanes, value, c);
        const std::int32_t its_index = __shfl_sync(all_lanes, index, c);
        if (comes_before(other, its_index, own, own_index)) ++to;
        const unsigned before =
            __ballot_sync(all_lanes, there && comes_before(own, own_index, other, its_index));
        if (lane == c) place += __popc(before);
      }
      __syncwarp();
      if (there && to < k) {
        values[to] = own;
        indices[to] = own_index;
        if (to == k - 1) {
          last = own;
          has_last = true;
        }
      }
      __syncwarp();
    }
    if (lane < count && place < k) {
      values[place] = value;
      indices[place] = index;
      if (place == k - 1) {
        last = value;
        has_last = true;
      }
    }
    if (has_last) bounds_[row] = last;
    if (lane == 0) waiting_[row] = 0;
    __syncwarp();
  }

  const ListArguments& arguments_;
  const PairWork& work_;
  std::int64_t first_row_;
  int split_;
  float* bounds_;
  int* waiting_;  ///< how many candidates were offered to each row
  float* values_;
  std::int32_t* indices_;
  VisitPlace place_;
  RowSums s_;
  RowSums s_log_s_;
};

struct HalfEntropyArguments {
  double* row_sums = nullptr;     ///< of s and of s log2 s: two for each split and row
  double* column_sums = nullptr;  ///< two for each block and column, 0 at first
  std::int64_t stride = 0;        ///< columns of a block there
};

/// Entropies alone, of a matrix with itself: what a tile has behind the diagonal belongs to the
/// rows of its columns too. Each block keeps what its columns got to itself.
template <class Shape>
class HalfEntropies {
 public:
  using Arguments = HalfEntropyArguments;

  __device__ HalfEntropies(const HalfEntropyArguments& arguments, const PairWork& work,
                           char* memory, std::int64_t first_row, int split)
      : arguments_(arguments),
        work_(work),
        first_row_(first_row),
        split_(split),
        shared_(reinterpret_cast<float*>(memory)) {}

  template <int M, int N>
  __device__ void tile(const float (&sums)[M][N][4], std::int64_t first_column) {
    static_assert(N == 8);
    float column[2][2 * N] = {};
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float row[2] = {};
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            const float s = fmaxf(sums[m][n][2 * half + odd], tiny);
            const float s_log_s = s * log_of_two(s);
            row[0] += s;
            row[1] += s_log_s;
            column[0][2 * n + odd] += s;
            column[1][2 * n + odd] += s_log_s;
          }
        }
        s_.add(place_, m, half, row[0]);
        s_log_s_.add(place_, m, half, row[1]);
      }
    }
    if (first_column < first_row_ + Shape::rows) return;
    add_to_columns<Shape>(
        place_, column, shared_,
        arguments_.column_sums + (blockIdx.x * arguments_.stride + first_column) * 2);
  }

  __device__ void finish(char* memory) {
    const auto put = [&](int which) {
      return [this, which](int row, double sum) {
        if (first_row_ + row >= work_.row_count) return;
        arguments_.row_sums[(split_ * work_.row_count + first_row_ + row) * 2 + which] = sum;
      };
    };
    s_.template finish<Shape>(place_, memory, put(0));
    s_log_s_.template finish<Shape>(place_, memory, put(1));
  }

 private:
  const HalfEntropyArguments& arguments_;
  const PairWork& work_;
  std::int64_t first_row_;
  int split_;
  float* shared_;
  VisitPlace place_;
  RowSums s_;
  RowSums s_log_s_;
};

constexpr int merge_threads = 256;

/// A warp per row: an entry's place is the number of those before it in all of the row's lists.
__global__ void __launch_bounds__(merge_threads)
    merge_lists(const ListArguments partial, int splits, std::int64_t rows, float* values,
                std::int32_t* indices) {
  const auto k = static_cast<int>(partial.k);
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  for (std::int64_t row = first_item() / warp_lanes; row < rows; row += item_step() / warp_lanes) {
    for (int entry = lane; entry < splits * k; entry += warp_lanes) {
      const int split = entry / k;
      const int own = entry % k;
      const std::int64_t at = (split * rows + row) * k + own;
      const float value = partial.values[at];
      const std::int32_t index = partial.indices[at];
      if (index == vacant_place) continue;
      int place = own;
      for (int s = 0; s < splits && place < k; ++s) {
        if (s == split) continue;
        const std::int64_t list = (s * rows + row) * k;
        int low = 0;
        int high = k;
        while (low < high) {
          const int middle = (low + high) / 2;
          if (comes_before(partial.values[list + middle], partial.indices[list + middle], value,
                           index)) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        place += low;
      }
      if (place >= k) continue;
      values[row * k + place] = value;
      indices[row * k + place] = index;
    }
  }
}

/// What the sums of entropies have left: lists of pairs of sums, `stride` rows each.
struct EntropySums {
  const double* sums = nullptr;
  int count = 0;
  std::int64_t stride = 0;

  __device__ void add_to(double& s, double& s_log_s, std::int64_t row) const {
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      s += sums[(i * stride + row) * 2];
      s_log_s += sums[(i * stride + row) * 2 + 1];
    }
  }
};

__global__ void finish_entropies(const EntropySums by_rows, const EntropySums by_columns,
                                 std::int64_t rows, std::int64_t columns, float* entropies) {
  for (std::int64_t row = first_item(); row < rows; row += item_step()) {
    double s = 0;
    double s_log_s = 0;
    by_rows.add_to(s, s_log_s, row);
    by_columns.add_to(s, s_log_s, row);
    // Sums of what stands for 0 alone.
    const double none = 2e-37 * static_cast<double>(columns + rows_multiple);
    const double entropy = log(s) - s_log_s / s * static_cast<double>(ln_2);
    // Each of these brings its logarithm along, less than 2^7.
    entropies[row] = static_cast<float>(s > none ? (entropy * s > 128 * none ? entropy : 0.0)
                                                 : log(static_cast<double>(columns)));
  }
}

/// Whether each pair is to be met once alone: for entropies of all, where what the blocks keep of
/// the columns is not too much. For few nodes, blocks would not come out even.
bool goes_by_halves(const SimilarityPass& pass) {
  constexpr std::int64_t few = 8192;
  constexpr std::int64_t most_bytes = 768LL << 20;
  const std::int64_t blocks = 2LL * card_limits().processors;
  return pass.k == 0 && pass.chosen == nullptr && pass.count > few &&
         pass.count * blocks * 2 * static_cast<std::int64_t>(sizeof(double)) <= most_bytes;
}

template <Precision P>
void entropies_by_halves(const Launch& launch, const SimilarityPass& pass) {
  PairWork work;
  work.columns = make_panels(
      launch, P,
      {.rows = pass.rows, .count = pass.count, .width = pass.width, .scales = pass.scales});
  work.rows = work.columns;
  work.row_count = pass.count;
  work.column_count = pass.count;
  HalfEntropyArguments arguments{.stride = pieces_of(pass.count, rows_multiple) * rows_multiple};
  EntropySums by_rows{.stride = pass.count};
  EntropySums by_columns{.stride = arguments.stride};
  const auto prepare = [&](const PairWork& cut, std::int64_t blocks) {
    const std::int64_t kept = blocks * arguments.stride * 2;
    arguments.row_sums = launch.scratch->array<double>(cut.splits * pass.count * 2);
    arguments.column_sums = launch.scratch->array<double>(kept);
    check(cudaMemsetAsync(arguments.column_sums, 0, static_cast<std::size_t>(kept) * sizeof(double),
                          stream_of(launch)),
          "similarity_pass");
    by_rows.sums = arguments.row_sums;
    by_rows.count = cut.splits;
    by_columns.sums = arguments.column_sums;
    by_columns.count = static_cast<int>(blocks);
    return arguments;
  };
  constexpr int most_splits = 32;
  start_visit<P, HalfEntropies, Visit::half>(launch, work, column_bytes_per_row(2), most_splits,
                                             "similarity_pass", prepare);
  finish_entropies<<<grid_for(pass.count, merge_threads), merge_threads, 0, stream_of(launch)>>>(
      by_rows, by_columns, pass.count, pass.count, pass.entropies);
  check_launch("similarity_pass");
}

template <Precision P>
void pass_on_stream(const Launch& launch, const SimilarityPass& pass) {
  if (goes_by_halves(pass)) return entropies_by_halves<P>(launch, pass);
  const std::int64_t rows = pass.chosen == nullptr ? pass.count : pass.chosen_count;
  if (rows == 0) return;
  // Entropies of lists that go by plain products: the scales come at the end.
  const bool scale_later = pass.scales != nullptr && !pass.scaled_lists && pass.k > 0;
  PanelSource source{.rows = pass.rows, .count = pass.count, .width = pass.width};
  if (!scale_later) source.scales = pass.scales;
  PairWork work;
  work.columns = make_panels(launch, P, source);
  work.rows = work.columns;
  if (pass.chosen != nullptr) {
    source.chosen = pass.chosen;
    source.count = rows;
    work.rows = make_panels(launch, P, source);
  }
  work.row_count = rows;
  work.column_count = pass.count;

  ListArguments arguments{.k = pass.k,
                          .chosen = pass.chosen,
                          .with_self = pass.with_self,
                          .values = pass.values,
                          .indices = pass.indices,
                          .entropies = pass.entropies != nullptr};
  if (scale_later) arguments.scales = pass.scales;
  constexpr int roomy = 200 << 10;
  arguments.room = pass.k == 0                         ? 0
                   : Format<P>::parts == 2             ? 12
                   : card_limits().block_bytes > roomy ? 32
                                                       : 16;
  // Lists of the splits, of which there are the more the smaller they are.
  constexpr std::int64_t most_bytes = 384LL << 20;
  const std::int64_t list_bytes = rows * pass.k * 8 + rows * 16;
  const auto most = static_cast<int>(most_bytes / list_bytes < 32 ? most_bytes / list_bytes : 32);
  int splits = 1;
  const auto prepare = [&](const PairWork& cut, std::int64_t /*blocks*/) {
    splits = cut.splits;
    if (splits > 1 && pass.k > 0) {
      arguments.values = launch.scratch->array<float>(splits * rows * pass.k);
      arguments.indices = launch.scratch->array<std::int32_t>(splits * rows * pass.k);
    }
    if (arguments.entropies) arguments.sums = launch.scratch->array<double>(splits * rows * 2);
    return arguments;
  };
  start_visit<P, ListsAndEntropies>(
      launch, work,
      pass.k == 0 ? 0 : ListsAndEntropies<VisitShape<8>>::bytes_per_row(arguments.room), most,
      "similarity_pass", prepare);
  if (splits > 1 && pass.k > 0) {
    merge_lists<<<grid_for(rows * warp_lanes, merge_threads), merge_threads, 0,
                  stream_of(launch)>>>(arguments, splits, rows, pass.values, pass.indices);
  }
  if (arguments.entropies) {
    finish_entropies<<<grid_for(rows, merge_threads), merge_threads, 0, stream_of(launch)>>>(
        {arguments.sums, splits, rows}, {}, rows, pass.count, pass.entropies);
  }
  check_launch("similarity_pass");
}

constexpr int norm_threads = 256;

/// A warp per row. Rows that are not finite: the first one, by an atomic on whole numbers.
__global__ void __launch_bounds__(norm_threads) measure(const RowNorms norms) {
  const std::int64_t lane = threadIdx.x % warp_lanes;
  for (std::int64_t row = first_item() / warp_lanes; row < norms.count;
       row += item_step() / warp_lanes) {
    double square = 0;
    for (std::int64_t j = lane; j < norms.width; j += warp_lanes) {
      const double value = norms.rows[row * norms.width + j];
      square += value * value;
    }
    square = warp_sum(square);
    if (lane != 0) continue;
    norms.norms[row] = sqrt(square);
    // In double the squares of finite floats do not overflow.
    if (!isfinite(square)) {
      atomicMin(reinterpret_cast<long long*>(norms.first_bad), static_cast<long long>(row));
    }
  }
}

__global__ void start_measure(const RowNorms norms) {
  *norms.first_bad = norms.count;
}

}  // namespace

void similarity_pass(const Launch& launch, const SimilarityPass& pass) {
  switch (pass.precision) {
    case Precision::fp32:
      return pass_on_stream<Precision::fp32>(launch, pass);
    case Precision::tf32:
      return pass_on_stream<Precision::tf32>(launch, pass);
    case Precision::bf16:
      return pass_on_stream<Precision::bf16>(launch, pass);
  }
}

void row_norms(const Launch& launch, const RowNorms& norms) {
  start_measure<<<1, 1, 0, stream_of(launch)>>>(norms);
  if (norms.count > 0) {
    measure<<<grid_for(norms.count * warp_lanes, norm_threads), norm_threads, 0,
              stream_of(launch)>>>(norms);
  }
  check_launch("embedding_norms");
}

}  // namespace creg::cuda
