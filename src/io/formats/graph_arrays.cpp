#include "io/formats/graph_arrays.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

[[noreturn]] void fail(const NdArray& array, std::string what, std::string found,
                       std::string expected, std::string place = {}) {
  fail_input({.what = std::move(what),
              .file = array.source(),
              .place = std::move(place),
              .found = std::move(found),
              .expected = std::move(expected)});
}

}  // namespace

MatrixShape matrix_shape(const NdArray& shape) {
  const Array<std::int64_t> extents = shape.to_int64();
  if (extents.size() != 2) {
    fail(shape, "not the shape of a matrix", with_commas(extents.size()) + " numbers", "two");
  }
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > max_nodes) {
      fail(shape, "a matrix that is too large", std::to_string(extent),
           "0 to " + with_commas(max_nodes) + " rows and columns");
    }
  }
  return {.rows = extents[0], .cols = extents[1]};
}

Array<float> values_or_none(const NdArray& values) {
  if (values.all_ones()) return {};
  return values.to_float();
}

CsrMatrix csr_from_arrays(MatrixShape shape, const NdArray& offsets, const NdArray& columns,
                          const NdArray* values) {
  for (const NdArray* array : {&offsets, &columns}) array->require_dimensions(1);
  if (offsets.size() != shape.rows + 1) {
    fail(offsets, "the wrong number of row starts", with_commas(offsets.size()),
         fmt::format("{} for {} rows", with_commas(shape.rows + 1), with_commas(shape.rows)));
  }
  CsrMatrix matrix = {.rows = shape.rows,
                      .cols = shape.cols,
                      .offsets = offsets.to_int64(),
                      .columns = columns.to_int32()};
  if (matrix.offsets[0] != 0) {
    fail(offsets, "the first row does not start at 0", std::to_string(matrix.offsets[0]), "0",
         "element 0");
  }
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    if (matrix.offsets[r] > matrix.offsets[r + 1]) {
      fail(offsets, "row starts decrease", std::to_string(matrix.offsets[r + 1]),
           "at least " + std::to_string(matrix.offsets[r]), fmt::format("element {}", r + 1));
    }
  }
  if (matrix.offsets[matrix.rows] != matrix.nonzeros()) {
    fail(offsets, "the rows do not end where the entries do",
         std::to_string(matrix.offsets[matrix.rows]), std::to_string(matrix.nonzeros()));
  }
  for (std::int64_t e = 0; e < matrix.nonzeros(); ++e) {
    if (matrix.columns[e] < 0 || matrix.columns[e] >= matrix.cols) {
      fail(columns, "column index out of range", std::to_string(matrix.columns[e]),
           "0 to " + std::to_string(matrix.cols - 1), fmt::format("element {}", e));
    }
  }
  if (values == nullptr) return matrix;
  values->require_dimensions(1);
  if (values->size() != matrix.nonzeros()) {
    fail(*values, "the wrong number of values", with_commas(values->size()),
         with_commas(matrix.nonzeros()) + ", one per column");
  }
  matrix.values = values_or_none(*values);
  return matrix;
}

Array<std::int32_t> labels_from_array(const NdArray& labels) {
  if (labels.dimensions() == 2 && labels.shape()[1] != 1) return labels_from_one_hot(labels);
  if (labels.dimensions() != 2) labels.require_dimensions(1);
  Array<std::int32_t> ids = labels.to_int32();
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= unlabelled && ids[i] < max_nodes) continue;
    fail(labels, "label out of range", std::to_string(ids[i]), "0 or more, or -1 for none",
         fmt::format("element {}", i));
  }
  return ids;
}

Array<std::int32_t> labels_from_one_hot(const NdArray& labels) {
  labels.require_dimensions(2);
  const std::int64_t rows = labels.shape()[0];
  const std::int64_t classes = labels.shape()[1];
  if (rows > max_nodes || classes > max_nodes) {
    fail(labels, "too many labels", labels.shape_text(), "at most " + with_commas(max_nodes));
  }
  // Without a class there is no element behind a row: a count that nothing backs.
  if (classes == 0 && rows > 0) fail(labels, "labels of no class", labels.shape_text(), "a class");
  const Array<float> marks = labels.to_float();
  Buffer<std::int32_t> out(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    out[r] = unlabelled;
    for (std::int64_t c = 0; c < classes; ++c) {
      const float mark = marks[r * classes + c];
      if (mark == 0) continue;
      if (mark != 1 || out[r] != unlabelled) {
        fail(labels, "labels that are not one-hot",
             mark != 1 ? fmt::format("{}", mark) : "a second 1", "a single 1 among zeros",
             fmt::format("row {}, column {}", r, c + 1));
      }
      out[r] = static_cast<std::int32_t>(c);
    }
  }
  return out;
}

}  // namespace creg
