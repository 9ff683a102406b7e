// k-means++: the first centres of a run of k-means.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "learn/kmeans/centre_distances.h"

namespace creg::learn {

/// k rows as k x cols centres, drawn as kmeans() says. There must be k distinct rows.
std::vector<double> draw_centres(const Context& context, const Points& points, std::int64_t k,
                                 std::uint64_t seed, std::uint32_t restart);

/// The number of distinct rows, or `enough` as soon as there are as many.
std::int64_t count_distinct_rows(const Points& points, std::int64_t enough);

}  // namespace creg::learn
