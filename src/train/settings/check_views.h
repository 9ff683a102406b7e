// What methods that contrast two views ask of a configuration.
#pragma once

#include "creg/train/config.h"

namespace creg {

/// An input error that lists what works; nothing for other methods.
void check_views(const TrainConfig& config);

}  // namespace creg
