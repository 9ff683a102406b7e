// Operations on tensors of PyTorch's.
#pragma once

#include <pybind11/pybind11.h>

namespace creg::python {

void bind_ops(pybind11::module_& module);

}  // namespace creg::python
