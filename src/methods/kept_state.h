// What a method reads back of its state in a checkpoint.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "creg/nn/parameter_list.h"

namespace creg {

/// The tensor of this name, which must have this type and these sizes (-1: any), else an input
/// error.
at::Tensor kept_tensor(const std::vector<NamedTensor>& state, const std::string& name,
                       at::ScalarType type, at::IntArrayRef sizes);

/// A value that no run keeps: an input error.
[[noreturn]] void fail_kept(const std::string& name, const std::string& expected);

}  // namespace creg
