#include "io/graph_checksum.h"

#include <variant>

#include "io/checksum.h"

namespace creg {
namespace {

template <class T>
std::string sum_of(const Context& context, const Array<T>& array) {
  return std::to_string(crc32c_parallel(context, std::as_bytes(array.span())));
}

}  // namespace

std::string matrix_checksum(const Context& context, const CsrMatrix& matrix) {
  return sum_of(context, matrix.offsets) + "-" + sum_of(context, matrix.columns) + "-" +
         sum_of(context, matrix.values);
}

std::string feature_checksum(const Context& context, const Features& features) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) {
    return matrix_checksum(context, *sparse);
  }
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    return sum_of(context, dense->values);
  }
  return "none";
}

}  // namespace creg
