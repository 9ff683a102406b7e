// Tensors of a module of PyTorch's, for the engine to train.
#pragma once

#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <string>
#include <utility>
#include <vector>

#include "creg/nn/parameter_list.h"

namespace creg::python {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Adds both lists: `parameters` are trained, `buffers` kept beside them.
inline void adopt_all(ParameterList& list, const std::string& prefix,
                      const pybind11::handle& parameters, const pybind11::handle& buffers) {
  for (const auto& [name, tensor] : parameters.cast<NamedTensors>()) {
    list.adopt(prefix + name, tensor);
  }
  for (const auto& [name, tensor] : buffers.cast<NamedTensors>()) {
    list.adopt_untrained(prefix + name, tensor);
  }
}

/// "float32 [5, 16]".
inline std::string shape_text(const at::Tensor& tensor) {
  const pybind11::gil_scoped_acquire gil;
  std::string text = pybind11::str(pybind11::cast(tensor).attr("dtype"));
  text.erase(0, text.find('.') + 1);
  text += " [";
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(tensor.size(i));
  }
  return text + "]";
}

}  // namespace creg::python
