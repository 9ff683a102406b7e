#include "kernels/info_nce.h"

#include "kernels/cuda/pair_pulls.cuh"

namespace creg::cuda {

using kernels::UnitRows;

namespace {

constexpr int row_threads = 256;

struct SumArguments {
  float scale = 1;  ///< of exponents of 2
  double* partial = nullptr;
};

/// Sums of e^{(s-1)/t} over the rows.
template <class Shape>
class ExponentialSums : public RowSumVisit<Shape> {
 public:
  using Arguments = SumArguments;

  __device__ ExponentialSums(const SumArguments& arguments, const PairWork& work, char* /*memory*/,
                             std::int64_t first_row, int split)
      : RowSumVisit<Shape>(arguments.partial, work, first_row, split), scale_(arguments.scale) {}

  template <int M, int N>
  __device__ void tile(float (&sums)[M][N][4], std::int64_t first_column) {
    const std::int64_t columns = this->work_.column_count;
    const std::int64_t first_row = this->first_row_;
    const bool edge =
        first_column + Shape::columns > columns ||
        (first_column < first_row + Shape::rows && first_row < first_column + Shape::columns);
    if (edge) {
#pragma unroll
      for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const std::int64_t row = first_row + this->place_.row(m, i / 2);
            const std::int64_t column = first_column + this->place_.column(n, i % 2);
            if (column >= columns || column == row) sums[m][n][i] = no_product;
          }
        }
      }
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          sum += power_of_two(fmaf(sums[m][n][2 * half], scale_, -scale_)) +
                 power_of_two(fmaf(sums[m][n][2 * half + 1], scale_, -scale_));
        }
        this->row_sums_.add(this->place_, m, half, sum);
      }
    }
  }

 private:
  float scale_;
};

struct HalfSumArguments {
  float scale = 1;
  double* partial = nullptr;
  float* column_sums = nullptr;  ///< one for each block and column, 0 at first
  std::int64_t stride = 0;       ///< columns of a block there
};

/// The same where each pair is met once: what a tile has behind the diagonal belongs to the rows of
/// its columns too. Each block keeps what its columns got to itself.
template <class Shape>
class HalfExponentialSums : public RowSumVisit<Shape> {
 public:
  using Arguments = HalfSumArguments;

  __device__ HalfExponentialSums(const HalfSumArguments& arguments, const PairWork& work,
                                 char* memory, std::int64_t first_row, int split)
      : RowSumVisit<Shape>(arguments.partial, work, first_row, split),
        arguments_(arguments),
        shared_(reinterpret_cast<float*>(memory)) {}

  template <int M, int N>
  __device__ void tile(float (&sums)[M][N][4], std::int64_t first_column) {
    static_assert(N == 8);
    const std::int64_t columns = this->work_.column_count;
    const std::int64_t first_row = this->first_row_;
    const bool diagonal = first_column < first_row + Shape::rows;
    const bool edge = diagonal || first_column + Shape::columns > columns;
    const float scale = arguments_.scale;
    float column[1][2 * N] = {};
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            float product = sums[m][n][2 * half + odd];
            if (edge) {
              const std::int64_t own = first_row + this->place_.row(m, half);
              const std::int64_t other = first_column + this->place_.column(n, odd);
              if (other >= columns || other == own) product = no_product;
            }
            const float value = power_of_two(fmaf(product, scale, -scale));
            sum += value;
            column[0][2 * n + odd] += value;
          }
        }
        this->row_sums_.add(this->place_, m, half, sum);
      }
    }
    if (diagonal) return;
    add_to_columns<Shape>(this->place_, column, shared_,
                          arguments_.column_sums + blockIdx.x * arguments_.stride + first_column);
  }

 private:
  const HalfSumArguments& arguments_;
  float* shared_;
};

__global__ void add_half_sums(const double* partial, int splits, const HalfSumArguments halves,
                              int blocks, std::int64_t count, double* sums) {
  for (std::int64_t i = first_item(); i < count; i += item_step()) {
    double sum = 0;
    for (int split = 0; split < splits; ++split) sum += partial[split * count + i];
#pragma unroll 4
    for (int block = 0; block < blocks; ++block) {
      sum += static_cast<double>(halves.column_sums[block * halves.stride + i]);
    }
    sums[i] = sum;
  }
}

__global__ void add_partial_sums(const double* partial, int splits, std::int64_t count,
                                 double* sums) {
  for (std::int64_t i = first_item(); i < count; i += item_step()) {
    double sum = 0;
    for (int split = 0; split < splits; ++split) sum += partial[split * count + i];
    sums[i] = sum;
  }
}

/// Weights with zeros behind them.
__global__ void pad_weights(const float* weights, std::int64_t count, std::int64_t padded,
                            float* out) {
  for (std::int64_t i = first_item(); i < padded; i += item_step()) {
    out[i] = i < count ? weights[i] : 0.0F;
  }
}

struct PullArguments {
  const float* values = nullptr;  ///< of the weights
  float scale = 1;
};

/// Rows: how many a thread has (pull_pairs).
template <int Rows>
class ExponentialPulls {
 public:
  using Arguments = PullArguments;
  static constexpr bool column_values = true;
  static constexpr bool with_self = false;

  __device__ ExponentialPulls(const PullArguments& arguments, std::int64_t first_row)
      : scale_(arguments.scale) {
#pragma unroll
    for (int own = 0; own < Rows; ++own) own_[own] = arguments.values[first_row + own * 8];
  }
  __device__ float weigh(float product, int own, float other) const {
    return power_of_two(fmaf(product, scale_, -scale_)) * (own_[own] + other);
  }
  __device__ void next_tile() {}
  __device__ void finish() const {}

 private:
  float scale_;
  float own_[Rows];
};

/// Whether each pair is to be met once alone: where what the blocks keep of the columns is not too
/// much. Of few rows, blocks would not come out even.
bool goes_by_halves(const UnitRows& rows) {
  constexpr std::int64_t few = 8192;
  constexpr std::int64_t most_bytes = 512LL << 20;
  const std::int64_t blocks = 2LL * card_limits().processors;
  return rows.count > few &&
         rows.count * blocks * static_cast<std::int64_t>(sizeof(float)) <= most_bytes;
}

template <Precision P>
void sum_by_halves(const Launch& launch, const PairWork& work, float scale, double* sums) {
  const std::int64_t count = work.row_count;
  HalfSumArguments arguments{.scale = scale, .stride = work.columns.rows};
  int splits = 1;
  int kept = 0;
  const auto prepare = [&](const PairWork& cut, std::int64_t blocks) {
    splits = cut.splits;
    kept = static_cast<int>(blocks);
    arguments.partial = launch.scratch->array<double>(splits * count);
    arguments.column_sums = launch.scratch->array<float>(blocks * arguments.stride);
    check(cudaMemsetAsync(arguments.column_sums, 0,
                          static_cast<std::size_t>(blocks * arguments.stride) * sizeof(float),
                          stream_of(launch)),
          "info_nce");
    return arguments;
  };
  start_visit<P, HalfExponentialSums, Visit::half>(launch, work, column_bytes_per_row(1), 32,
                                                   "info_nce", prepare);
  add_half_sums<<<grid_for(count, row_threads), row_threads, 0, stream_of(launch)>>>(
      arguments.partial, splits, arguments, kept, count, sums);
  check_launch("info_nce");
}

template <Precision P>
void sum_on_stream(const Launch& launch, const UnitRows& rows, double* sums) {
  PairWork work;
  work.rows =
      make_panels(launch, P, {.rows = rows.values, .count = rows.count, .width = rows.width});
  work.columns = work.rows;
  work.row_count = rows.count;
  work.column_count = rows.count;
  const float scale = rows.inverse_temperature * log2_e;
  if (goes_by_halves(rows)) return sum_by_halves<P>(launch, work, scale, sums);
  const double* partial = sums;
  int splits = 1;
  const auto prepare = [&](const PairWork& cut, std::int64_t /*blocks*/) {
    splits = cut.splits;
    SumArguments arguments{.scale = scale, .partial = sums};
    if (splits > 1) arguments.partial = launch.scratch->array<double>(splits * rows.count);
    partial = arguments.partial;
    return arguments;
  };
  start_visit<P, ExponentialSums>(launch, work, 0, 64, "info_nce", prepare);
  if (splits == 1) return;
  add_partial_sums<<<grid_for(rows.count, row_threads), row_threads, 0, stream_of(launch)>>>(
      partial, splits, rows.count, sums);
  check_launch("info_nce");
}

template <Precision P>
void pull_on_stream(const Launch& launch, const UnitRows& rows, const float* weights,
                    float* gradient) {
  PairWork work;
  work.rows =
      make_panels(launch, P, {.rows = rows.values, .count = rows.count, .width = rows.width});
  work.columns = work.rows;
  work.row_count = rows.count;
  work.column_count = rows.count;
  auto* const padded = launch.scratch->array<float>(work.rows.rows);
  pad_weights<<<grid_for(work.rows.rows, row_threads), row_threads, 0, stream_of(launch)>>>(
      weights, rows.count, work.rows.rows, padded);
  check_launch("info_nce");
  const auto prepare = [&](const PairWork& /*cut*/, std::int64_t /*warps*/) {
    return PullArguments{.values = padded, .scale = rows.inverse_temperature * log2_e};
  };
  start_pulls<P, ExponentialPulls<2 * PullShape<P, 8>::left_tiles>>(
      launch, work, {.values = gradient, .width = rows.width, .add = true}, "info_nce", prepare);
}

}  // namespace

void sum_exponentials(const Launch& launch, const UnitRows& rows, double* sums) {
  if (rows.count == 0) return;
  switch (rows.precision) {
    case Precision::fp32:
      return sum_on_stream<Precision::fp32>(launch, rows, sums);
    case Precision::tf32:
      return sum_on_stream<Precision::tf32>(launch, rows, sums);
    case Precision::bf16:
      return sum_on_stream<Precision::bf16>(launch, rows, sums);
  }
}

void add_exponential_pulls(const Launch& launch, const UnitRows& rows, const float* weights,
                           float* gradient) {
  if (rows.count == 0 || rows.width == 0) return;
  switch (rows.precision) {
    case Precision::fp32:
      return pull_on_stream<Precision::fp32>(launch, rows, weights, gradient);
    case Precision::tf32:
      return pull_on_stream<Precision::tf32>(launch, rows, weights, gradient);
    case Precision::bf16:
      return pull_on_stream<Precision::bf16>(launch, rows, weights, gradient);
  }
}

}  // namespace creg::cuda
