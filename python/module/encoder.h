// An encoder that is a module of PyTorch's.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "creg/nn/encoder_options.h"
#include "held_object.h"

namespace creg::python {

namespace py = pybind11;

class PyEncoder {
 public:
  /// `make(device, seed)` returns (compute, parameters, buffers): pairs of a name and a tensor on
  /// that device, "meta" for shapes alone. compute(x, adjacency, training, seed) is the embedding.
  PyEncoder(std::string name, py::object make);

  const std::string& name() const { return name_; }
  std::shared_ptr<const AddedEncoder> added() const;

 private:
  std::string name_;
  HeldObject make_;
};

void bind_encoder(py::module_& module);

}  // namespace creg::python
