// Sparse matrices in the files of scipy.sparse.save_npz.
#pragma once

#include <cstdint>
#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/containers/inflate.h"
#include "io/containers/npz.h"
#include "io/file.h"

namespace creg {

/// Formats csr, csc and coo. Entries are kept as stored: repeated ones are not summed, and the
/// columns of a csr file stay in the file's order (those of the others ascend). Values are left
/// out when all are 1. `limit` bounds the memory for rows that the file declares but, in csc and
/// coo, does not spell out.
CsrMatrix read_scipy_sparse(const Context& context, const NpzFile& file,
                            std::int64_t limit = default_read_limit());
CsrMatrix read_scipy_sparse(const Context& context, const Bytes& file,
                            std::int64_t limit = default_read_limit());

/// True when the file has the keys of a SciPy matrix.
bool is_scipy_sparse(const NpzFile& file);

/// The arrays of a CSR matrix under the given keys, as SciPy names their types.
struct CsrKeys {
  std::string offsets = "indptr";
  std::string columns = "indices";
  std::string values = "data";
  std::string shape = "shape";
};
void add_csr(NpzWriter& writer, const CsrMatrix& matrix, const CsrKeys& keys);

}  // namespace creg
