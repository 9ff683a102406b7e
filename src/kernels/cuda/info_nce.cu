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
class ExponentialSums {
 public:
  using Arguments = SumArguments;

  __device__ ExponentialSums(const SumArguments& arguments, const PairWork& work, char* /*memory*/,
                             std::int64_t first_row, int split)
      : arguments_(arguments), work_(work), first_row_(first_row), split_(split) {}

  template <int M, int N>
  __device__ void tile(float (&sums)[M][N][4], std::int64_t first_column) {
    const bool edge =
        first_column + Shape::columns > work_.column_count ||
        (first_column < first_row_ + Shape::rows && first_row_ < first_column + Shape::columns);
    if (edge) {
#pragma unroll
      for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const std::int64_t row = first_row_ + place_.row(m, i / 2);
            const std::int64_t column = first_column + place_.column(n, i % 2);
            if (column >= work_.column_count || column == row) sums[m][n][i] = no_product;
          }
        }
      }
    }
    const float scale = arguments_.scale;
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          sum += power_of_two(fmaf(sums[m][n][2 * half], scale, -scale)) +
                 power_of_two(fmaf(sums[m][n][2 * half + 1], scale, -scale));
        }
        row_sums_.add(place_, m, half, sum);
      }
    }
  }

  __device__ void finish(char* memory) const {
    row_sums_.finish<Shape>(place_, memory, [&](int row, double sum) {
      if (first_row_ + row < work_.row_count) {
        arguments_.partial[split_ * work_.row_count + first_row_ + row] = sum;
      }
    });
  }

 private:
  const SumArguments& arguments_;
  const PairWork& work_;
  std::int64_t first_row_;
  int split_;
  VisitPlace place_;
  RowSums row_sums_;
};

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

class ExponentialPulls {
 public:
  using Arguments = PullArguments;
  static constexpr bool column_values = true;
  static constexpr bool with_self = false;

  __device__ ExponentialPulls(const PullArguments& arguments, std::int64_t first_row)
      : scale_(arguments.scale) {
#pragma unroll
    for (int own = 0; own < 4; ++own) own_[own] = arguments.values[first_row + own * 8];
  }
  __device__ float weigh(float product, int own, float other) const {
    return power_of_two(fmaf(product, scale_, -scale_)) * (own_[own] + other);
  }
  __device__ void next_tile() {}
  __device__ void finish() const {}

 private:
  float scale_;
  float own_[4];
};

template <Precision P>
void sum_on_stream(const Launch& launch, const UnitRows& rows, double* sums) {
  PairWork work;
  work.rows =
      make_panels(launch, P, {.rows = rows.values, .count = rows.count, .width = rows.width});
  work.columns = work.rows;
  work.row_count = rows.count;
  work.column_count = rows.count;
  const double* partial = sums;
  int splits = 1;
  const auto prepare = [&](const PairWork& cut) {
    splits = cut.splits;
    SumArguments arguments{.scale = rows.inverse_temperature * log2_e, .partial = sums};
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
  start_pulls<P, ExponentialPulls>(
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
