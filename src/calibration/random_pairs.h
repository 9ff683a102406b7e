// How confident an embedding is about pairs that have nothing to do with each other.
#pragma once

#include <cstdint>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct RandomPairStatistics {
  double mean_sigma = 0;  ///< mean of sigma(h_u·h_v) over uniformly random u != v; 0 without pairs
  double norm_mean = 0;   ///< of the lengths of all rows
  double norm_variance = 0;  ///< unbiased
  std::int64_t pairs = 0;
};

/// `pairs` draws by the Context's seed. The embedding is taken as it is.
RandomPairStatistics random_pair_statistics(const Context& context, const DenseMatrix& embedding,
                                            std::int64_t pairs = 100'000);

}  // namespace creg
