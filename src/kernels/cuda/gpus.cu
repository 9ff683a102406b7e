#include "kernels/gpus.h"

#include <cstdlib>
#include <thread>

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

Gpus list_gpus() {
  Gpus gpus;
  gpus.cuda = cuda_version(CUDART_VERSION);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
    gpus.driver = cuda_version(driver);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    const bool is_more = error != cudaSuccess && error != cudaErrorNoDevice;
    explain_no_gpu(gpus, error == cudaErrorInsufficientDriver && driver > 0, driver,
                   std::getenv("CUDA_VISIBLE_DEVICES"), is_more ? cudaGetErrorString(error) : "");
    return gpus;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, i), "properties of a GPU");
    Gpu gpu{.name = properties.name,
            .capability = std::to_string(properties.major) + "." + std::to_string(properties.minor),
            .memory = static_cast<std::int64_t>(properties.totalGlobalMem)};
    // The oldest that kernels are compiled for (CREG_CUDA_ARCHITECTURES).
    gpu.usable = properties.major >= 8;
    gpus.found.push_back(gpu);
  }
  return gpus;
}

std::int64_t free_memory(int device) {
  std::size_t free = 0;
  std::size_t total = 0;
  cudaError_t error = cudaSuccess;
  // On a thread of its own: going back to the device that was current here would make a context
  // there too.
  std::thread([&] {
    error = cudaSetDevice(device);
    if (error == cudaSuccess) error = cudaMemGetInfo(&free, &total);
  }).join();
  if (error == cudaErrorMemoryAllocation) return 0;
  check(error, "memory of a GPU");
  return static_cast<std::int64_t>(free);
}

}  // namespace creg::cuda
