// The GPUs of this machine as CUDA's runtime sees them, and what keeps it from seeing any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

struct Gpu {
  std::string name;        ///< "NVIDIA H200"
  std::string capability;  ///< "9.0"
  std::int64_t memory = 0;
  bool usable = true;  ///< the kernels of this build run on it
};

struct Gpus {
  std::string cuda;    ///< of the build: "13.0"; empty: built without
  std::string driver;  ///< the newest CUDA that the driver serves; empty: there is none
  std::vector<Gpu> found;
  std::string problem;  ///< why none is found, in words for people; empty: some are
  std::string hint;     ///< what to do about it
};

/// Why CUDA counts no GPU, from the code of its error, the versions (as 1000 · major + 10 · minor;
/// driver 0: none), what CUDA_VISIBLE_DEVICES holds (null: not set) and what CUDA says beside that
/// there is none (empty: nothing).
void explain_no_gpu(Gpus& gpus, bool driver_too_old, int driver, const char* visible,
                    std::string_view says = {});

/// "13.0" of 13000.
std::string cuda_version(int number);

}  // namespace creg

namespace creg::cuda {

/// Makes no context on any of them: one takes hundreds of megabytes, and a full card has no room
/// for it.
Gpus list_gpus();
/// Waits for what was started on the device; an error of a kernel shows here. Makes a context on
/// that device alone; where there is no room for it, nothing is free.
std::int64_t free_memory(int device);

}  // namespace creg::cuda
