#include "comm/text_tensor.h"

#include <torch/types.h>

#include <span>

#include "ops/tensors.h"

namespace creg {

at::Tensor text_tensor(const std::string& text) {
  return tensor_of(std::as_bytes(std::span(text)), {static_cast<std::int64_t>(text.size())},
                   at::kByte);
}

std::string tensor_text(const at::Tensor& bytes) {
  const auto values = bytes.accessor<std::uint8_t, 1>();
  std::string text(static_cast<std::size_t>(values.size(0)), '\0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(values[static_cast<std::int64_t>(i)]);
  }
  return text;
}

}  // namespace creg
