// Judging embeddings: classification, clustering, links, calibration.
#pragma once

#include <pybind11/pybind11.h>

namespace creg::python {

void bind_tasks(pybind11::module_& module);

}  // namespace creg::python
