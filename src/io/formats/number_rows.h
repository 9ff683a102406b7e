// Rows of numbers, with or without an id in front, straight into one dense array.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"
#include "io/text/node_index.h"
#include "io/text/text_blocks.h"
#include "io/text/text_fields.h"

namespace creg {

struct NumberRowsOptions {
  Separator separator = Separator::comma;
  std::int64_t columns = 0;  ///< numbers in every row
  bool keyed = false;        ///< an id stands before them
  std::int64_t skip = 0;     ///< bytes of the text, as in TextOptions
  std::int64_t rows = -1;    ///< how many there must be; below 0: any number
};

/// Sees the ids of a batch, block by block; an id occurs once in each.
using OnKeys = std::function<void(std::span<const TextBlock>, std::span<LocalNames>)>;

/// A row of another length, a value that is no finite number, and, with `keyed`, an id that its
/// block already has are input errors.
DenseMatrix read_number_rows(const Context& context, const Bytes& bytes,
                             const NumberRowsOptions& options, const OnKeys& on_keys = {});

/// One whole number of 0 to largest per row. With `or_nan` a row may also hold NaN, or "" in
/// quotes, which become `unlabelled`; and whole numbers may be written like 3.0.
Array<std::int32_t> read_integer_column(const Context& context, const Bytes& bytes,
                                        std::int64_t largest, bool or_nan, const std::string& what);

}  // namespace creg
