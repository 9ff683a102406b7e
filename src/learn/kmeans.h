// k-means: starts by k-means++, Lloyd's iterations, the best of several starts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

struct KMeansOptions {
  int restarts = 10;
  int max_iterations = 300;
  /// Of the columns' mean variance: iterations end when the squared moves of all centres sum up to
  /// less.
  double tolerance = 1e-4;
  std::uint64_t seed = 0;
  /// Called after every restart, from any thread, also side by side; may throw to stop.
  std::function<void()> each_restart;
};

struct KMeansResult {
  std::vector<std::int32_t> labels;  ///< per row its nearest centre, the first of equally near ones
  std::vector<double> centres;       ///< k x cols, row-major
  double inertia = 0;                ///< the rows' squared distances to their centres, summed
  int iterations = 0;
};

/// Clusters the rows of `values`. A start draws its first centre among all rows and every further
/// one in proportion to the squared distance to the nearest centre so far, as the best of
/// 2 + floor(ln k) draws. Iterations end when no label changes, by the tolerance, or at
/// max_iterations. A cluster that loses all its rows is put on the row farthest from its centre.
/// The least inertia wins, the first of equal ones. k below 1 or above the number of distinct rows
/// and numbers that are not finite are input errors. The result does not depend on the number of
/// threads.
KMeansResult kmeans(const Context& context, const DenseMatrix& values, std::int64_t k,
                    const KMeansOptions& options = {});

/// One start from the given k x cols centres, row-major.
KMeansResult kmeans_from(const Context& context, const DenseMatrix& values,
                         std::span<const double> centres, const KMeansOptions& options = {});

/// Per row the nearest of the k x cols centres, the first of equally near ones: what comparing the
/// squared differences summed in double would give, by blocked products and a closer look at near
/// ties.
std::vector<std::int32_t> nearest_centres(const Context& context, const DenseMatrix& values,
                                          std::span<const double> centres);

}  // namespace creg
