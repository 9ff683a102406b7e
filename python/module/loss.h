// A method whose loss is a function of Python's.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "creg/methods/entry.h"
#include "held_object.h"

namespace creg::python {

namespace py = pybind11;

class PyLoss {
 public:
  /// `make(seed)` returns (compute, parameters, buffers): pairs of a name and a tensor.
  /// compute(h, step) is the loss.
  PyLoss(std::string name, py::object make);

  const std::string& name() const { return name_; }
  std::shared_ptr<const MethodEntry> entry() const;

 private:
  std::string name_;
  HeldObject make_;
};

void bind_loss(py::module_& module);

}  // namespace creg::python
