// Edges to CSR.
#pragma once

#include <cstdint>
#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// CSR of the given entries, in parallel. Repeats are kept; columns ascend within a row, equal
/// columns in input order. `values` is empty or has one number per entry. Every id must be in
/// range (an invariant: readers check ids where they can name the line).
CsrMatrix csr_from_entries(const Context& context, std::int64_t rows, std::int64_t cols,
                           std::span<const std::int32_t> row_ids,
                           std::span<const std::int32_t> column_ids,
                           std::span<const float> values = {});

/// Columns sorted within each row; the same matrix when they already are.
CsrMatrix sort_rows(const Context& context, const CsrMatrix& matrix);

/// In parallel; columns ascend in the result, repeats keep their order. Beside the result it takes
/// 2 bytes per entry, 3 with values.
CsrMatrix transpose(const Context& context, const CsrMatrix& matrix);

}  // namespace creg
