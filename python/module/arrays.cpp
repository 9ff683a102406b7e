#include "arrays.h"

#include <utility>

#include "held_object.h"

namespace creg::python {

std::shared_ptr<const void> keep_alive(py::object object) {
  return held(std::move(object));
}

py::array as_numpy(const DenseMatrix& matrix) {
  return as_numpy(matrix.values, {matrix.rows, matrix.cols});
}

py::array as_own_numpy(const DenseMatrix& matrix) {
  return over_memory_of(matrix.values, {matrix.rows, matrix.cols});
}

DenseMatrix viewed_matrix(const py::array& array) {
  if (array.ndim() != 2) throw py::type_error("a matrix was expected");
  return {.rows = array.shape(0), .cols = array.shape(1), .values = viewed<float>(array)};
}

}  // namespace creg::python
