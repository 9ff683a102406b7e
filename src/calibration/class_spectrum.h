// M(f,c), the second moments of a class's embeddings, and what Theorem 1 makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Of M(f,c) = E[h hᵀ] over the nodes of one class.
struct ClassMoments {
  std::int32_t label = 0;
  std::int64_t nodes = 0;
  double share = 0;              ///< rho: of all labelled nodes
  double sigma_max = 0;          ///< the largest eigenvalue
  double norm_squared_mean = 0;  ///< E|h|², the trace
  double pair_square_mean = 0;   ///< E (h_i·h_j)² over all ordered pairs, i = j too: |M|_F²
};

struct ClassSpectrum {
  std::vector<ClassMoments> classes;  ///< those that have nodes, ascending
  double s_f = 0;                     ///< 4 sqrt(sum rho |M|_F²), exact
  double s_f_bound = 0;               ///< 4 sqrt(sum rho sigma_max E|h|²)
  double sigma_max_mean = 0;          ///< by rho
  double norm_squared_mean = 0;       ///< by rho
  double tau = 0;                     ///< sum rho²: two random nodes have one class
  double radius = 0;                  ///< R, the largest |h| of a labelled node
};

/// Through d x d matrices, a block of rows at a time: memory O(d²), whatever the number of nodes.
/// Nodes without a label do not count; at least one must have one.
ClassSpectrum class_spectrum(const Context& context, const DenseMatrix& embedding,
                             std::span<const std::int32_t> labels);

}  // namespace creg
