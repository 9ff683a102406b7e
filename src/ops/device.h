// The Context's device in libtorch's words: where every tensor of a run lives.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/core/context.h"

namespace creg {

c10::Device device_of(const Context& context);

/// For new tensors of this type there.
c10::TensorOptions options_on(const Context& context, c10::ScalarType type);

}  // namespace creg
