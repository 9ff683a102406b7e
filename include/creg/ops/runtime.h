// libtorch as this process has it, and the Context's wishes carried to it.
#pragma once

#include <string>
#include <vector>

#include "creg/core/context.h"

namespace creg {

struct TorchRuntime {
  std::string version;         ///< of libtorch
  std::string blas;            ///< "OpenBLAS 0.3.21 …", "MKL" or the path of another library
  bool slow_blas = false;      ///< the reference BLAS: everything is some fifty times slower
  std::string cpu_capability;  ///< what ATen's own kernels use
  bool cuda_built = false;     ///< this libtorch knows CUDA
  std::vector<std::string> devices;
};

TorchRuntime torch_runtime();

/// Sets the threads of libtorch and of the BLAS to the Context's. Warns through its log when the
/// BLAS is the slow one. A CUDA device that is not there is an input error: nothing falls back.
void prepare_torch(const Context& context);

}  // namespace creg
