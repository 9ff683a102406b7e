// libtorch as this process has it, and the Context's wishes carried to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory_limits.h"
#include "creg/core/context.h"
#include "kernels/gpus.h"

namespace creg {

struct TorchRuntime {
  std::string version;         ///< of libtorch
  std::string blas;            ///< "OpenBLAS 0.3.21 …", "MKL" or the path of another library
  bool slow_blas = false;      ///< the reference BLAS: everything is some fifty times slower
  std::string cpu_capability;  ///< what ATen's own kernels use
  Gpus gpus;                   ///< none in builds without CUDA, and why
  std::vector<std::string> devices;
};

TorchRuntime torch_runtime();

/// The same, but that nothing is asked of GPUs: as if there were none.
TorchRuntime torch_without_gpus();

/// What this GPU has free; none where it does not tell. Takes some of its memory for as long as the
/// process lives.
std::optional<std::int64_t> free_on_gpu(int index);

/// "creg 0.1.0 3f9a0c1b2d3e, libtorch 1.13.0": all of a build that results depend on. The checksum
/// is that of the sources.
std::string build_name();

/// What `--device auto` takes: the first GPU that the kernels of this build run on, else the CPU.
Device best_device();

/// OpenBLAS takes kernels for the oldest processors, several times slower, where the processor is
/// newer than itself. The value of OPENBLAS_CORETYPE with which the process would have to be
/// started to get better ones; empty when there is nothing to gain or the user has set the
/// variable.
std::string missed_blas_kernels();

/// The same from the name of the kernels in use and BuildInfo::instruction_set.
std::string better_openblas_kernels(std::string_view kernels, std::string_view instruction_set);

/// How exact libtorch's own products of float32 matrices are on a GPU: with anything but fp32 they
/// may be made in tf32. Holds for the whole process.
void set_product_precision(Precision precision);

/// Sets the threads of libtorch and of the BLAS, and its precision, to the Context's. Warns through
/// its log when the BLAS is a slow one. A GPU that is not there is an input error that
/// says what is missing: nothing falls back. Less address space than the threads need is an
/// environment error.
void prepare_torch(const Context& context);

/// How many threads libtorch and the BLAS have in this process, and how exact products on a GPU
/// are: what prepare_torch changes, for a guest to put back.
struct ProcessSettings {
  int torch_threads = 0;
  int blas_threads = 0;  ///< 0: no BLAS that tells
  bool tf32 = false;
};
ProcessSettings process_settings();
void put_back(const ProcessSettings& settings);

/// For tensors of the Context's device: what a GPU has free, or what memory_left says after what
/// libtorch will yet take for the Context's threads.
MemoryLimit tensor_memory_left(const Context& context);

/// Gives memory of a GPU that libtorch keeps for later tensors back, so that tensor_memory_left
/// counts it.
void release_kept_device_memory(const Context& context);

/// Returns once a GPU has done what it was given so far: its work goes on behind the caller's back.
void wait_for_device(const Context& context);

/// Calls body with a stream of this thread's own on the Context's GPU, if it has one: the work of
/// several threads then goes on side by side, each with buffers of its own. At most 32 threads may
/// be in such calls at a time.
void on_own_stream(const Context& context, const std::function<void()>& body);

/// Calls body with the BLAS on one thread, so that its result does not depend on their number.
void with_one_blas_thread(const std::function<void()>& body);

}  // namespace creg
