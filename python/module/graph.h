// A graph of Python's: an open dataset, shared by all that use it.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "creg/creg.h"

namespace creg::python {

namespace py = pybind11;

struct PyGraph {
  std::shared_ptr<const Data> data;
};

void bind_graph(py::module_& module);

}  // namespace creg::python
