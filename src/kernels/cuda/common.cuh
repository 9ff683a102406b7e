// What the kernels of the GPU share: launches that are checked, sums in a fixed order.
//
// No kernel adds floats by atomics: the same inputs give the same bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/both_devices.h"
#include "kernels/launch.h"

namespace creg::cuda {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffU;

inline cudaStream_t stream_of(const Launch& launch) {
  return static_cast<cudaStream_t>(launch.stream);
}

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": CUDA says: " + cudaGetErrorString(error));
}

/// After a launch: an error of the launch itself. Others show later, where the host waits.
inline void check_launch(const char* what) {
  check(cudaGetLastError(), what);
}

CREG_BOTH inline std::int64_t pieces_of(std::int64_t size, std::int64_t piece) {
  return (size + piece - 1) / piece;
}

/// For kernels whose threads go on by the size of the grid: enough blocks for every item, and no
/// more than fill the largest cards a few times.
inline unsigned grid_for(std::int64_t items, int threads) {
  constexpr std::int64_t most = 132 * 16;
  const std::int64_t blocks = pieces_of(items, threads);
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

/// The number of the thread among all, and how far its next item is.
__device__ inline std::int64_t first_item() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t item_step() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

template <class T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(all_lanes, value, distance);
  }
  return value;
}

template <class T>
__device__ inline T warp_max(T value) {
#pragma unroll
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
    const T other = __shfl_xor_sync(all_lanes, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

/// The sum over a block of Warps warps, in all threads of its first warp. All threads take part.
template <int Warps, class T>
__device__ inline T block_sum(T value) {
  __shared__ T sums[Warps];
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % warp_lanes == 0) sums[threadIdx.x / warp_lanes] = value;
  __syncthreads();
  return warp_sum(threadIdx.x % warp_lanes < Warps ? sums[threadIdx.x % warp_lanes] : T(0));
}

/// `Width` neighbouring values, 1 or 4: of 4 the first is at a multiple of 16 bytes.
template <int Width>
__device__ inline void load(const float* from, float (&to)[Width]) {
  if constexpr (Width == 4) {
    const float4 value = *reinterpret_cast<const float4*>(from);
    to[0] = value.x;
    to[1] = value.y;
    to[2] = value.z;
    to[3] = value.w;
  } else {
    to[0] = *from;
  }
}

template <int Width>
__device__ inline void store(const float (&from)[Width], float* to) {
  if constexpr (Width == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
  } else {
    *to = from[0];
  }
}

/// The product of two rows by one warp, in all its lanes.
__device__ inline float warp_dot(const float* a, const float* b, std::int64_t width) {
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  float sum = 0;
  if (width % 4 == 0) {
    const auto* const a4 = reinterpret_cast<const float4*>(a);
    const auto* const b4 = reinterpret_cast<const float4*>(b);
    for (std::int64_t j = lane; j < width / 4; j += warp_lanes) {
      const float4 x = a4[j];
      const float4 y = b4[j];
      sum += (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
    }
  } else {
    for (std::int64_t j = lane; j < width; j += warp_lanes) sum += a[j] * b[j];
  }
  return warp_sum(sum);
}

}  // namespace creg::cuda
