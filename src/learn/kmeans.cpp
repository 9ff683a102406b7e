#include "learn/kmeans.h"

#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "learn/kmeans/centre_distances.h"
#include "learn/kmeans/kmeans_start.h"
#include "learn/kmeans/lloyd.h"

namespace creg {
namespace {

void check_options(const KMeansOptions& options) {
  if (options.restarts >= 1 && options.max_iterations >= 1 && options.tolerance >= 0) return;
  fail_input({.what = "k-means needs restarts and iterations",
              .found = std::to_string(options.restarts) + " restarts, " +
                       std::to_string(options.max_iterations) + " iterations, tolerance " +
                       std::to_string(options.tolerance),
              .expected = "at least 1 of each, and a tolerance of at least 0"});
}

void check_centres(const DenseMatrix& values, std::span<const double> centres) {
  const auto size = static_cast<std::int64_t>(centres.size());
  if (values.cols > 0 && size > 0 && size % values.cols == 0) return;
  fail_input({.what = "the centres do not fit the rows",
              .found = with_commas(size) + " numbers",
              .expected = "k times " + with_commas(values.cols)});
}

void check_k(const learn::Points& points, std::int64_t k) {
  if (points.cols() == 0) fail_input({.what = "rows without columns cannot be clustered"});
  if (k < 1) {
    fail_input({.what = "there must be a cluster",
                .found = "k = " + std::to_string(k),
                .expected = "at least 1"});
  }
  const std::int64_t distinct = learn::count_distinct_rows(points, k);
  if (k <= distinct) return;
  fail_input({.what = "more clusters than distinct points",
              .found = "k = " + with_commas(k) + " and " + with_commas(distinct) +
                       " distinct among " + with_commas(points.rows()) + " rows",
              .expected = "k of at most " + with_commas(distinct)});
}

KMeansResult to_result(learn::LloydResult run) {
  return {.labels = std::move(run.labels),
          .centres = std::move(run.centres),
          .inertia = run.inertia,
          .iterations = run.iterations};
}

}  // namespace

KMeansResult kmeans(const Context& context, const DenseMatrix& values, std::int64_t k,
                    const KMeansOptions& options) {
  check_options(options);
  const learn::Points points(context, values);
  check_k(points, k);
  const double tolerance = options.tolerance * points.mean_variance(context);
  std::vector<KMeansResult> found(static_cast<std::size_t>(options.restarts));
  // Side by side; a run shares its own work among threads that have no run left.
  parallel_tasks(context, options.restarts, [&](std::int64_t restart) {
    const std::vector<double> start =
        learn::draw_centres(context, points, k, options.seed, static_cast<std::uint32_t>(restart));
    found[static_cast<std::size_t>(restart)] =
        to_result(learn::lloyd(context, points, start, options.max_iterations, tolerance));
    if (options.each_restart) options.each_restart();
  });
  std::size_t best = 0;
  for (std::size_t r = 1; r < found.size(); ++r) {
    if (found[r].inertia < found[best].inertia) best = r;
  }
  return std::move(found[best]);
}

KMeansResult kmeans_from(const Context& context, const DenseMatrix& values,
                         std::span<const double> centres, const KMeansOptions& options) {
  check_options(options);
  check_centres(values, centres);
  const learn::Points points(context, values);
  check_k(points, static_cast<std::int64_t>(centres.size()) / values.cols);
  const double tolerance = options.tolerance * points.mean_variance(context);
  return to_result(learn::lloyd(context, points, centres, options.max_iterations, tolerance));
}

std::vector<std::int32_t> nearest_centres(const Context& context, const DenseMatrix& values,
                                          std::span<const double> centres) {
  check_centres(values, centres);
  const learn::Points points(context, values);
  learn::Assignment assignment(context, points, centres);
  assignment.assign();
  return assignment.take_labels();
}

}  // namespace creg
