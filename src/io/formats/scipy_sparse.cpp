#include "io/formats/scipy_sparse.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/formats/graph_arrays.h"

namespace creg {
namespace {

// Rows without entries cost memory that nothing in the file pays for.
void check_rows(const NpzFile& file, MatrixShape shape, std::int64_t limit) {
  constexpr std::int64_t bytes_per_row = 2 * sizeof(std::int64_t);  // offset, and a cursor
  if (shape.rows < limit / bytes_per_row) return;
  fail_input({.what = "a matrix with more rows than memory can hold",
              .file = file.name(),
              .found = fmt::format("{} x {}", shape.rows, shape.cols),
              .expected = fmt::format("rows that fit in {}", human_bytes(limit))});
}

void check_ids(const NdArray& ids, std::span<const std::int32_t> values, std::int64_t bound) {
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (values[e] >= 0 && values[e] < bound) continue;
    fail_input({.what = "an entry outside the matrix",
                .file = ids.source(),
                .place = fmt::format("element {}", e),
                .found = std::to_string(values[e]),
                .expected = fmt::format("0 to {}", bound - 1)});
  }
}

CsrMatrix read_coo(const Context& context, const NpzFile& file, MatrixShape shape) {
  const NdArray rows = file.read("row");
  const NdArray cols = file.read("col");
  const NdArray data = file.read("data");
  for (const NdArray* array : {&rows, &cols, &data}) {
    array->require_dimensions(1);
    if (array->size() == rows.size()) continue;
    fail_input({.what = "the entries' parts differ in length",
                .file = array->source(),
                .found = with_commas(array->size()),
                .expected = with_commas(rows.size()) + ", one per entry"});
  }
  const Array<std::int32_t> row_ids = rows.to_int32();
  const Array<std::int32_t> column_ids = cols.to_int32();
  check_ids(rows, row_ids, shape.rows);
  check_ids(cols, column_ids, shape.cols);
  const Array<float> values = values_or_none(data);
  return csr_from_entries(context, shape.rows, shape.cols, row_ids, column_ids, values);
}

}  // namespace

bool is_scipy_sparse(const NpzFile& file) {
  return file.contains("format") && file.contains("shape") && file.contains("data");
}

CsrMatrix read_scipy_sparse(const Context& context, const NpzFile& file, std::int64_t limit) {
  const NdArray format_array = file.read("format");
  const std::vector<std::string> names = format_array.to_strings();
  const std::string format = names.size() == 1 ? names[0] : "";
  const MatrixShape shape = matrix_shape(file.read("shape"));
  if (format == "csr" || format == "csc") {
    const NdArray data = file.read("data");
    const NdArray columns = file.read("indices");
    const NdArray offsets = file.read("indptr");
    if (format == "csr") return csr_from_arrays(shape, offsets, columns, &data);
    check_rows(file, shape, limit);
    return transpose(context, csr_from_arrays({.rows = shape.cols, .cols = shape.rows}, offsets,
                                              columns, &data));
  }
  if (format == "coo") {
    check_rows(file, shape, limit);
    return read_coo(context, file, shape);
  }
  fail_input({.what = "a sparse format that is not supported",
              .file = format_array.source(),
              .found = in_quotes(format),
              .expected = "'csr', 'csc' or 'coo'",
              .hint = "save it again with scipy.sparse.save_npz(name, matrix.tocsr())"});
}

CsrMatrix read_scipy_sparse(const Context& context, const Bytes& file, std::int64_t limit) {
  return read_scipy_sparse(context, NpzFile(file), limit);
}

void add_csr(NpzWriter& writer, const CsrMatrix& matrix, const CsrKeys& keys) {
  // SciPy wants 32-bit row starts where they fit, as it writes them itself.
  if (matrix.nonzeros() <= std::numeric_limits<std::int32_t>::max()) {
    const std::vector<std::int32_t> offsets(matrix.offsets.begin(), matrix.offsets.end());
    writer.add<std::int32_t>(keys.offsets, offsets);
  } else {
    writer.add<std::int64_t>(keys.offsets, matrix.offsets.span());
  }
  writer.add<std::int32_t>(keys.columns, matrix.columns.span());
  if (matrix.values.empty()) {
    const std::vector<float> ones(static_cast<std::size_t>(matrix.nonzeros()), 1.0F);
    writer.add<float>(keys.values, ones);
  } else {
    writer.add<float>(keys.values, matrix.values.span());
  }
  const std::array shape = {matrix.rows, matrix.cols};
  writer.add<std::int64_t>(keys.shape, shape);
}

}  // namespace creg
