// Integer ids with gaps to row numbers.
#pragma once

#include <cstdint>
#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct IntegerIds {
  std::int64_t nodes = 0;  ///< distinct ids
  NodeNames names;         ///< the ids in ascending order; empty when they are 0..nodes-1
};

/// Replaces every id (0 or more) by its rank among the distinct ids of both arrays.
IntegerIds rank_integer_ids(const Context& context, std::span<std::int32_t> sources,
                            std::span<std::int32_t> targets);

}  // namespace creg
