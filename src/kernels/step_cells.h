// The cells of a recorded step.
#pragma once

#include "kernels/launch.h"

namespace creg::cuda {

/// Writes them there before the step is started again.
void set_step_cells(const Launch& launch, const StepCells& values, StepCells* there);

}  // namespace creg::cuda
