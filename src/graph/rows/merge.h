// Rows without repeats.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg::detail {

enum class Repeats {
  count_once,  ///< entries without values stay without: a repeat says nothing new
  sum,         ///< entries without values are ones, and repeats of them add up
};

/// Columns ascend and are distinct; values of repeats are summed in double, in storage order. The
/// same matrix when it is so already.
CsrMatrix merge_repeats(const Context& context, const CsrMatrix& matrix, Repeats repeats);

}  // namespace creg::detail
