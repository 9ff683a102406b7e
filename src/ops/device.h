// The Context's device in libtorch's words: where every tensor of a run lives.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/core/context.h"

namespace creg {

c10::Device device_of(const Context& context);

/// For new tensors of this type there.
c10::TensorOptions options_on(const Context& context, c10::ScalarType type);

/// Returns once a GPU has done what it was given so far: its work goes on behind the caller's back.
void wait_for_device(const Context& context);

}  // namespace creg
