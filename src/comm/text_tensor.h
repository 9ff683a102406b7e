// Text as a tensor of bytes, and back.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace creg {

at::Tensor text_tensor(const std::string& text);
std::string tensor_text(const at::Tensor& bytes);

}  // namespace creg
