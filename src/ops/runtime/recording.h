// The recording that this thread is making, as libtorch keeps its current stream: for DeviceLaunch.
#pragma once

#include "kernels/launch.h"

namespace creg {

/// Null: none.
const StepCells*& cells_of_recording();

}  // namespace creg
