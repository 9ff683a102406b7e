#include "kernels/gpus.h"

#include <cstdlib>

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
    explain_no_gpu(gpus, error == cudaErrorInsufficientDriver && driver > 0, driver,
                   std::getenv("CUDA_VISIBLE_DEVICES"));
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
    if (gpu.usable) gpu.free_memory = free_memory(i);
    gpus.found.push_back(gpu);
  }
  return gpus;
}

std::int64_t free_memory(int device) {
  int current = 0;
  check(cudaGetDevice(&current), "device");
  check(cudaSetDevice(device), "device");
  std::size_t free = 0;
  std::size_t total = 0;
  const cudaError_t error = cudaMemGetInfo(&free, &total);
  check(cudaSetDevice(current), "device");
  check(error, "memory of a GPU");
  return static_cast<std::int64_t>(free);
}

}  // namespace creg::cuda
