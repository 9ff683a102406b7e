// Personalised PageRank diffusion: a graph where everybody gathers from everybody, by how often
// random walks that now and then start anew get there (MVGRL's second view).
#pragma once

#include <array>
#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/normalise.h"

namespace creg {

struct PprOptions {
  double alpha = 0.2;  ///< the chance of starting anew, above 0 and at most 1
  SelfLoops loops = SelfLoops::plus_two;
  double threshold = 0;     ///< smaller entries are dropped; 0 keeps all that are not 0
  double tolerance = 1e-7;  ///< the series ends where what is left of it weighs less
};

/// S = alpha (I - (1 - alpha) Â)^-1 with Â of gcn_normalised, by its series: row i gathers as Â's
/// rows do. Takes the memory of the kept entries and of some rows.
CsrMatrix ppr_diffusion(const Context& context, const CsrMatrix& adjacency,
                        const PprOptions& options = {});

/// MVGRL's candidates for a threshold.
inline constexpr std::array<double, 4> ppr_thresholds = {1e-5, 1e-4, 1e-3, 1e-2};

/// Of `candidates` the one that leaves a number of entries per row closest to `degree`; of equals
/// the first.
double threshold_for_degree(const CsrMatrix& matrix, double degree,
                            std::span<const double> candidates = ppr_thresholds);

/// Only the entries of at least `threshold`.
CsrMatrix without_small_entries(const Context& context, const CsrMatrix& matrix, double threshold);

/// Every column moved and scaled so that its cells lie in 0..1, those that are not stored included;
/// stored entries must not be negative. A constant column becomes 0.
CsrMatrix min_max_columns(const Context& context, CsrMatrix matrix);

}  // namespace creg
