// Partitioning by the 64-bit variant of Scotch, where this build has it.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/graph/graph.h"

namespace creg::detail {

bool has_scotch();

/// The part of each node of an undirected pattern; some parts may be empty. It cannot be
/// interrupted.
std::vector<std::int32_t> scotch_owners(const CsrMatrix& pattern, int parts, double slack,
                                        std::uint64_t seed);

}  // namespace creg::detail
