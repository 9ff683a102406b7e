// A Python object that threads without Python's lock may copy and let go of.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace creg::python {

using HeldObject = std::shared_ptr<pybind11::object>;

HeldObject held(pybind11::object object);

}  // namespace creg::python
