// The bytes of scipy.sparse.save_npz, format csr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "creg/graph/graph.h"
#include "support/npy_builder.h"
#include "support/zip_builder.h"

namespace creg::test {

inline std::string scipy_npz(const CsrMatrix& matrix, bool deflate = false) {
  std::vector<std::int32_t> offsets(matrix.offsets.begin(), matrix.offsets.end());
  std::vector<std::int32_t> columns(matrix.columns.begin(), matrix.columns.end());
  std::vector<float> values;
  for (std::int64_t e = 0; e < matrix.nonzeros(); ++e) values.push_back(matrix.value(e));
  const auto length = [](const auto& list) { return "(" + std::to_string(list.size()) + ",)"; };
  return build_zip(
      {{.name = "format.npy", .contents = npy("|S3", "()", "csr"), .deflate = deflate},
       {.name = "indptr.npy",
        .contents = npy("<i4", length(offsets), raw(offsets)),
        .deflate = deflate},
       {.name = "indices.npy",
        .contents = npy("<i4", length(columns), raw(columns)),
        .deflate = deflate},
       {.name = "data.npy",
        .contents = npy("<f4", length(values), raw(values)),
        .deflate = deflate},
       {.name = "shape.npy",
        .contents = npy("<i8", "(2,)", raw(std::vector<std::int64_t>{matrix.rows, matrix.cols})),
        .deflate = deflate}});
}

}  // namespace creg::test
