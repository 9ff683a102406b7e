#include "kernels/gpus.h"

namespace creg {

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void explain_no_gpu(Gpus& gpus, bool driver_too_old, int driver, const char* visible,
                    std::string_view says) {
  if (driver == 0) {
    gpus.problem = "there is no NVIDIA driver";
    gpus.hint = "install the driver of the card, or compute with --device cpu";
    return;
  }
  if (driver_too_old) {
    gpus.problem = "the NVIDIA driver serves CUDA up to " + cuda_version(driver) +
                   ", this build is for CUDA " + gpus.cuda;
    gpus.hint = "install a newer driver, or a libtorch for CUDA " + cuda_version(driver) +
                " and build again";
    return;
  }
  if (visible != nullptr && (*visible == '\0' || std::string_view(visible) == "-1")) {
    gpus.problem = "CUDA_VISIBLE_DEVICES hides every GPU";
    gpus.hint = "unset CUDA_VISIBLE_DEVICES, or set it to the number of a GPU";
    return;
  }
  gpus.problem = "CUDA finds no GPU";
  if (!says.empty()) gpus.problem += ": " + std::string(says);
  gpus.hint = visible == nullptr ? "see what nvidia-smi says"
                                 : "see what nvidia-smi says; CUDA_VISIBLE_DEVICES is '" +
                                       std::string(visible) + "'";
}

}  // namespace creg
