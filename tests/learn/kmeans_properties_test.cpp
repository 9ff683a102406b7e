#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "learn/assignment.h"
#include "learn/kmeans.h"

namespace creg::kmeans_properties_test {
namespace {

// Points are whole numbers here: all sums are exact, and equal distances are equal.
std::vector<std::int32_t> plain_nearest(const DenseMatrix& points,
                                        const std::vector<double>& centres) {
  const auto cols = static_cast<std::size_t>(points.cols);
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < points.rows; ++i) {
    double least = std::numeric_limits<double>::infinity();
    std::int32_t best = 0;
    for (std::size_t j = 0; j < centres.size() / cols; ++j) {
      double distance = 0;
      for (std::size_t c = 0; c < cols; ++c) {
        const double difference = points.row(i)[c] - centres[j * cols + c];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = static_cast<std::int32_t>(j);
      }
    }
    labels.push_back(best);
  }
  return labels;
}

DenseMatrix whole_points() {
  const auto cols = *rc::gen::inRange(1, 5);
  const auto rows = *rc::gen::inRange(1, 60);
  std::vector<float> values;
  for (int i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(*rc::gen::inRange(-3, 4)));
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

RC_GTEST_PROP(KMeansProperties, NearestCentresMeetEveryTieAsThePlainSearchDoes, ()) {
  const DenseMatrix points = whole_points();
  const auto k = *rc::gen::inRange(1, 20);
  std::vector<double> centres;
  for (std::int64_t i = 0; i < k * points.cols; ++i) {
    centres.push_back(*rc::gen::inRange(-6, 7) / 2.0);
  }
  RC_ASSERT(nearest_centres(Context(), points, centres) == plain_nearest(points, centres));
}

RC_GTEST_PROP(KMeansProperties, AResultIsAFixedPoint, ()) {
  const DenseMatrix points = whole_points();
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000));
  const KMeansOptions options{.restarts = 2, .tolerance = 0, .seed = seed};
  std::int64_t k = *rc::gen::inRange(1, 8);
  KMeansResult found;
  for (;; --k) {
    try {
      found = kmeans(Context(), points, k, options);
      break;
    } catch (const std::runtime_error&) {
      RC_ASSERT(k > 1);  // fewer distinct points than clusters
    }
  }
  RC_ASSERT(found.labels == plain_nearest(points, found.centres));
  // Every centre is the mean of its rows, and every cluster has some.
  const auto cols = static_cast<std::size_t>(points.cols);
  for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
    std::vector<double> sum(cols);
    double count = 0;
    for (std::int64_t i = 0; i < points.rows; ++i) {
      if (found.labels[static_cast<std::size_t>(i)] != static_cast<std::int32_t>(j)) continue;
      ++count;
      for (std::size_t c = 0; c < cols; ++c) sum[c] += points.row(i)[c];
    }
    RC_ASSERT(count > 0);
    for (std::size_t c = 0; c < cols; ++c) {
      RC_ASSERT(std::abs(sum[c] / count - found.centres[j * cols + c]) < 1e-12);
    }
  }
}

// The least cost over all ways to pair, by trying them.
double least_by_trying(const std::vector<double>& costs, std::int64_t rows, std::int64_t cols,
                       std::int64_t row, unsigned used, std::int64_t left_over) {
  if (row == rows) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < cols; ++j) {
    if ((used >> j & 1U) != 0) continue;
    least =
        std::min(least, costs[static_cast<std::size_t>(row * cols + j)] +
                            least_by_trying(costs, rows, cols, row + 1, used | 1U << j, left_over));
  }
  if (left_over > 0) {
    least = std::min(least, least_by_trying(costs, rows, cols, row + 1, used, left_over - 1));
  }
  return least;
}

RC_GTEST_PROP(AssignmentProperties, CostsTheLeastOfAllPairings, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(0, 6);
  const auto cols = *rc::gen::inRange<std::int64_t>(0, 6);
  std::vector<double> costs;
  for (std::int64_t i = 0; i < rows * cols; ++i) costs.push_back(*rc::gen::inRange(-9, 10));
  const std::vector<std::int32_t> found = least_cost_assignment(costs, rows, cols);
  RC_ASSERT(static_cast<std::int64_t>(found.size()) == rows);
  double cost = 0;
  std::int64_t pairs = 0;
  std::vector<int> taken(static_cast<std::size_t>(cols));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int32_t column = found[static_cast<std::size_t>(i)];
    if (column < 0) continue;
    RC_ASSERT(taken.at(static_cast<std::size_t>(column))++ == 0);
    cost += costs[static_cast<std::size_t>(i * cols + column)];
    ++pairs;
  }
  RC_ASSERT(pairs == std::min(rows, cols));
  RC_ASSERT(cost ==
            least_by_trying(costs, rows, cols, 0, 0, std::max<std::int64_t>(0, rows - cols)));
}

}  // namespace
}  // namespace creg::kmeans_properties_test
