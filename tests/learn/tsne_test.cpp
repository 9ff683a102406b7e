#include "learn/tsne.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "learn/golden_data.h"
#include "learn/map/affinities.h"
#include "learn/map/quad_tree.h"
#include "learn/nearest_rows.h"
#include "support/plain_eigen.h"

namespace creg::tsne_test {
namespace {

/// The share of neighbours in the map that are neighbours in the rows too, as scikit-learn defines
/// it: a neighbour that is not costs as much as its rank among the rows is beyond k.
double trustworthiness(const DenseMatrix& rows, const std::vector<float>& map, std::int64_t k) {
  const std::int64_t n = rows.rows;
  const auto order = [&](std::int64_t i, auto distance) {
    std::vector<std::pair<double, std::int64_t>> all;
    for (std::int64_t j = 0; j < n; ++j) {
      if (j != i) all.emplace_back(distance(i, j), j);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  double lost = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> rank(static_cast<std::size_t>(n));
    std::int64_t place = 0;
    for (const auto& [far, j] : order(i, [&](std::int64_t a, std::int64_t b) {
           double sum = 0;
           for (std::int64_t c = 0; c < rows.cols; ++c) {
             sum += std::pow(double{rows.row(a)[static_cast<std::size_t>(c)]} -
                                 double{rows.row(b)[static_cast<std::size_t>(c)]},
                             2);
           }
           return sum;
         })) {
      rank[static_cast<std::size_t>(j)] = ++place;
    }
    const auto near = order(i, [&](std::int64_t a, std::int64_t b) {
      const auto at = [&](std::int64_t point, std::int64_t axis) {
        return double{map[static_cast<std::size_t>(2 * point + axis)]};
      };
      return std::pow(at(a, 0) - at(b, 0), 2) + std::pow(at(a, 1) - at(b, 1), 2);
    });
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t other = near[static_cast<std::size_t>(j)].second;
      lost +=
          static_cast<double>(std::max<std::int64_t>(0, rank[static_cast<std::size_t>(other)] - k));
    }
  }
  const auto size = static_cast<double>(n);
  const auto neighbours = static_cast<double>(k);
  return 1 - 2 / (size * neighbours * (2 * size - 3 * neighbours - 1)) * lost;
}

TEST(Tsne, KeepsNeighboursAsWellAsScikitLearn) {
  const auto golden = nlohmann::json::parse(
      test::read_text(test::source_dir() / "tests" / "learn" / "tsne_golden.json"));
  ASSERT_FALSE(golden.empty());
  for (const nlohmann::json& spec : golden) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const DenseMatrix rows = test::golden_data(spec).values;
    const std::vector<float> map =
        tsne(Context(), rows, test::plain_eigen, {.perplexity = spec["perplexity"].get<double>()});
    EXPECT_GT(trustworthiness(rows, map, 10), spec["trustworthiness"].get<double>() - 0.01);
  }
}

DenseMatrix cloud(std::int64_t rows, std::int64_t cols) {
  test::CongruentialStream stream(5);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(stream.uniform());
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

TEST(Tsne, GivesTheSameBytesWhateverTheThreads) {
  const DenseMatrix rows = cloud(1300, 4);
  const TsneOptions options{.iterations = 20};
  const auto one = tsne(Context({.threads = 1}), rows, test::plain_eigen, options);
  EXPECT_EQ(one, tsne(Context({.threads = 3}), rows, test::plain_eigen, options));
}

TEST(Tsne, TakesFewRowsEqualOnesAndOneColumn) {
  for (const std::int64_t count : {0, 1, 2, 3, 5}) {
    const auto map = tsne(Context(), cloud(count, 3), test::plain_eigen, {.iterations = 50});
    ASSERT_EQ(map.size(), static_cast<std::size_t>(2 * count));
    for (const float value : map) EXPECT_TRUE(std::isfinite(value));
  }
  const DenseMatrix equal{.rows = 40, .cols = 2, .values = std::vector<float>(80, 3.0F)};
  const auto one_point = tsne(Context(), equal, test::plain_eigen, {.iterations = 50});
  for (const float value : one_point) EXPECT_EQ(value, one_point.front());
  for (const float value : tsne(Context(), cloud(50, 1), test::plain_eigen, {.iterations = 50})) {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Affinities, AreSymmetricAndSumToOne) {
  const DenseMatrix rows = cloud(200, 3);
  const NearestRows near = nearest_rows(Context(), rows, 30);
  const learn::Affinities found = learn::affinities(Context(), near, 10);
  std::vector<std::vector<double>> full(200, std::vector<double>(200, 0));
  double sum = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    for (auto e = found.offsets[i]; e < found.offsets[i + 1]; ++e) {
      const auto place = static_cast<std::size_t>(e);
      full[i][static_cast<std::size_t>(found.columns[place])] = double{found.values[place]};
      sum += double{found.values[place]};
    }
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < 200; ++j) EXPECT_NEAR(full[i][j], full[j][i], 1e-9);
  }
}

TEST(QuadTree, OfThetaZeroIsTheSumOverAllPairs) {
  test::CongruentialStream stream(9);
  std::vector<learn::PlanePoint> points(300);
  for (auto& point : points) point = {10 * stream.uniform(), stream.uniform()};
  // More of one place than a leaf holds.
  for (std::size_t i = 0; i < 9; ++i) points[i] = {0.25, 0.5};
  const learn::QuadTree tree(Context(), points);
  ASSERT_EQ(tree.order().size(), points.size());
  for (std::size_t place = 0; place < points.size(); ++place) {
    const auto own = static_cast<std::size_t>(tree.order()[place]);
    learn::Repulsion expected;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (j == own) continue;
      const double x = points[own].x - points[j].x;
      const double y = points[own].y - points[j].y;
      const double q = 1 / (1 + x * x + y * y);
      expected.sum += q;
      expected.x += q * q * x;
      expected.y += q * q * y;
    }
    const auto found = tree.repulsion(static_cast<std::int64_t>(place), 0);
    EXPECT_NEAR(found.sum, expected.sum, 1e-9);
    EXPECT_NEAR(found.x, expected.x, 1e-9);
    EXPECT_NEAR(found.y, expected.y, 1e-9);
    const auto coarse = tree.repulsion(static_cast<std::int64_t>(place), 0.5);
    EXPECT_NEAR(coarse.sum, expected.sum, 0.02 * expected.sum);
  }
}

}  // namespace
}  // namespace creg::tsne_test
