// Partitioning by METIS, where this build has it.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/graph/graph.h"

namespace creg::detail {

/// Adjacency entries that METIS's own counters hold, doubled as it does in places; 0 without METIS.
std::int64_t metis_most_entries();

/// The part of each node of an undirected pattern; some parts may be empty. It cannot be
/// interrupted, and draws from the C library's generator: one call at a time.
std::vector<std::int32_t> metis_owners(const CsrMatrix& pattern, int parts, double slack,
                                       std::uint64_t seed);

}  // namespace creg::detail
