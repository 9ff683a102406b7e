// Looking at embeddings: the page of creg report, and points of a plane.
#pragma once

#include <pybind11/pybind11.h>

namespace creg::python {

void bind_report(pybind11::module_& module);

}  // namespace creg::python
