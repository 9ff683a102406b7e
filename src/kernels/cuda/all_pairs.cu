#include "kernels/all_pairs.h"

#include "kernels/cuda/pair_pulls.cuh"

namespace creg::cuda {

using kernels::AllPairs;

namespace {

constexpr int sum_threads = 1024;

/// ln(1 + e^s) and its derivative, by the card's own functions: to about 1e-7.
struct Softplus {
  float value = 0;
  float sigma = 0;
  __device__ explicit Softplus(float s) {
    const float e = power_of_two(-fabsf(s) * log2_e);
    const float inverse = __fdividef(1.0F, 1.0F + e);
    value = fmaxf(s, 0.0F) + ln_2 * log_of_two(1.0F + e);
    sigma = s >= 0 ? inverse : e * inverse;
  }
};

struct SumArguments {
  double* partial = nullptr;
};

/// Sums of the values over the rows.
template <class Shape>
class SoftplusSums : public RowSumVisit<Shape> {
 public:
  using Arguments = SumArguments;

  __device__ SoftplusSums(const SumArguments& arguments, const PairWork& work, char* /*memory*/,
                          std::int64_t first_row, int split)
      : RowSumVisit<Shape>(arguments.partial, work, first_row, split) {}

  template <int M, int N>
  __device__ void tile(float (&sums)[M][N][4], std::int64_t first_column) {
    const std::int64_t columns = this->work_.column_count;
    const bool edge = first_column + Shape::columns > columns;
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
          for (int odd = 0; odd < 2; ++odd) {
            const bool there = !edge || first_column + this->place_.column(n, odd) < columns;
            sum += Softplus(there ? sums[m][n][2 * half + odd] : no_product).value;
          }
        }
        this->row_sums_.add(this->place_, m, half, sum);
      }
    }
  }
};

/// Weights are the derivatives; the values are added up beside, one sum for each warp of the blocks
/// of the first features.
class SoftplusPulls {
 public:
  using Arguments = SumArguments;
  static constexpr bool column_values = false;
  static constexpr bool with_self = true;

  __device__ SoftplusPulls(const SumArguments& arguments, std::int64_t /*first_row*/)
      : partial_(arguments.partial) {}
  __device__ float weigh(float product, int /*own*/, float /*other*/) {
    const Softplus softplus(product);
    tile_sum_ += softplus.value;
    return softplus.sigma;
  }
  __device__ void next_tile() {
    sum_ += static_cast<double>(tile_sum_);
    tile_sum_ = 0;
  }
  __device__ void finish() const {
    const double sum = warp_sum(sum_);
    if (blockIdx.y != 0 || threadIdx.x % warp_lanes != 0) return;
    const unsigned warps = blockDim.x / warp_lanes;
    partial_[blockIdx.x * warps + threadIdx.x / warp_lanes] = sum;
  }

 private:
  double* partial_;
  float tile_sum_ = 0;
  double sum_ = 0;
};

/// One block, in a fixed order.
__global__ void __launch_bounds__(sum_threads)
    finish_value(const double* partial, std::int64_t count, double share, float* value) {
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += sum_threads) sum += partial[i];
  sum = block_sum<sum_threads / warp_lanes>(sum);
  if (threadIdx.x == 0) *value = static_cast<float>(sum * share);
}

template <Precision P>
void on_stream(const Launch& launch, const AllPairs& pairs) {
  PairWork work;
  work.rows =
      make_panels(launch, P, {.rows = pairs.rows, .count = pairs.count, .width = pairs.width});
  work.columns = work.rows;
  work.row_count = pairs.count;
  work.column_count = pairs.count;
  const double share = 1 / (static_cast<double>(pairs.count) * static_cast<double>(pairs.count));
  SumArguments arguments;
  std::int64_t sums = 0;
  if (pairs.gradient == nullptr || pairs.width == 0) {
    const auto prepare = [&](const PairWork& cut, std::int64_t /*blocks*/) {
      sums = cut.splits * pairs.count;
      arguments.partial = launch.scratch->array<double>(sums);
      return arguments;
    };
    start_visit<P, SoftplusSums>(launch, work, 0, 64, "all_pairs_apart", prepare);
  } else {
    const auto prepare = [&](const PairWork& cut, std::int64_t warps) {
      sums = cut.splits * warps;
      arguments.partial = launch.scratch->array<double>(sums);
      return arguments;
    };
    // Every pair is met in both orders, and its gradient is the same.
    start_pulls<P, SoftplusPulls>(
        launch, work,
        {.values = pairs.gradient, .width = pairs.width, .scale = static_cast<float>(2 * share)},
        "all_pairs_apart", prepare);
  }
  finish_value<<<1, sum_threads, 0, stream_of(launch)>>>(arguments.partial, sums, share,
                                                         pairs.value);
  check_launch("all_pairs_apart");
}

}  // namespace

void all_pairs_apart(const Launch& launch, const AllPairs& pairs) {
  switch (pairs.precision) {
    case Precision::fp32:
      return on_stream<Precision::fp32>(launch, pairs);
    case Precision::tf32:
      return on_stream<Precision::tf32>(launch, pairs);
    case Precision::bf16:
      return on_stream<Precision::bf16>(launch, pairs);
  }
}

}  // namespace creg::cuda
