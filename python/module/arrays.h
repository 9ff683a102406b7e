// Memory that Python and the engine share: nothing is copied.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <utility>
#include <vector>

#include "creg/core/array.h"
#include "creg/graph/graph.h"

namespace creg::python {

namespace py = pybind11;

/// Keeps a Python object alive for as long as the engine needs it, whichever thread lets go of it.
std::shared_ptr<const void> keep_alive(py::object object);

/// The values of a numpy array of this very type, in C order: a view that keeps it alive. The
/// package has made it so; anything else is a TypeError.
template <class T>
Array<T> viewed(const py::array& array) {
  if (!py::isinstance<py::array_t<T, py::array::c_style>>(array)) {
    throw py::type_error("an array in C order of another type was expected");
  }
  const auto* const data = static_cast<const T*>(array.data());
  return Array<T>::view({data, static_cast<std::size_t>(array.size())}, keep_alive(array));
}

/// A numpy array over the engine's memory, which it keeps alive.
template <class T>
py::array over_memory_of(const Array<T>& array, std::vector<py::ssize_t> shape) {
  auto* const kept = new Array<T>(array);  // NOLINT: the capsule owns it
  const py::capsule owner(kept, [](void* memory) { delete static_cast<Array<T>*>(memory); });
  return py::array_t<T>(std::move(shape), array.data(), owner);
}

/// The same, read-only.
template <class T>
py::array as_numpy(const Array<T>& array, std::vector<py::ssize_t> shape = {}) {
  if (shape.empty()) shape = {array.size()};
  py::array out = over_memory_of(array, std::move(shape));
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::array as_numpy(const DenseMatrix& matrix);
/// The same of a result in memory of its own, which may be written to and handed on (DLPack).
py::array as_own_numpy(const DenseMatrix& matrix);

/// [rows, cols], float32, in C order.
DenseMatrix viewed_matrix(const py::array& array);

}  // namespace creg::python
