#include "learn/kmeans.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "creg/core/random.h"
#include "learn/cluster_golden.h"
#include "learn/kmeans/kmeans_start.h"
#include "support/expect_error.h"

namespace creg::kmeans_test {
namespace {

using nlohmann::json;
using Labels = std::vector<std::int32_t>;

DenseMatrix matrix(std::int64_t cols, std::vector<float> values) {
  return {.rows = static_cast<std::int64_t>(values.size()) / cols,
          .cols = cols,
          .values = std::move(values)};
}

DenseMatrix random_points(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    values.push_back(static_cast<float>(stream.normal()));
  }
  return matrix(cols, std::move(values));
}

bool same_partition(const Labels& a, const Labels& b) {
  if (a.size() != b.size()) return false;
  std::map<std::int32_t, std::int32_t> there;
  std::map<std::int32_t, std::int32_t> back;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (there.emplace(a[i], b[i]).first->second != b[i]) return false;
    if (back.emplace(b[i], a[i]).first->second != a[i]) return false;
  }
  return true;
}

TEST(KMeans, FromGivenCentresIsScikitLearns) {
  const json golden = test::cluster_golden();
  ASSERT_FALSE(golden["given_centres"].empty());
  for (const json& spec : golden["given_centres"]) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const DenseMatrix points = test::golden_points(spec);
    std::vector<double> start;
    for (const auto row : spec["start"].get<std::vector<std::int64_t>>()) {
      for (std::int64_t c = 0; c < points.cols; ++c) {
        start.push_back(row < 0 ? 1000.0 : points.row(row)[static_cast<std::size_t>(c)]);
      }
    }
    const KMeansResult found = kmeans_from(
        Context(), points, start,
        {.max_iterations = spec["max_iter"].get<int>(), .tolerance = spec["tol"].get<double>()});
    EXPECT_EQ(found.iterations, spec["iterations"].get<int>());
    EXPECT_EQ(found.labels, spec["labels"].get<Labels>());
    EXPECT_LT(test::relative_distance(found.centres, spec["centres"].get<std::vector<double>>()),
              1e-10);
    const auto inertia = spec["inertia"].get<double>();
    EXPECT_NEAR(found.inertia, inertia, 1e-10 * inertia + 1e-12);
  }
}

TEST(KMeans, FindsTheGroupsThatScikitLearnFinds) {
  const json golden = test::cluster_golden();
  ASSERT_FALSE(golden["separated"].empty());
  for (const json& spec : golden["separated"]) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const KMeansResult found =
        kmeans(Context(), test::golden_points(spec), spec["groups"].get<std::int64_t>());
    EXPECT_TRUE(same_partition(found.labels, spec["labels"].get<Labels>()));
    const auto inertia = spec["inertia"].get<double>();
    EXPECT_NEAR(found.inertia, inertia, 1e-5 * inertia);
  }
}

TEST(KMeans, DependsOnTheSeedAndNotOnTheThreads) {
  const DenseMatrix points = random_points(5000, 7, 1);
  const auto run = [&](int threads, std::uint64_t seed) {
    return kmeans(Context({.threads = threads}), points, 9, {.restarts = 3, .seed = seed});
  };
  const KMeansResult one = run(1, 4);
  const KMeansResult three = run(3, 4);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.centres, three.centres);
  EXPECT_EQ(one.inertia, three.inertia);
  EXPECT_NE(run(1, 5).centres, one.centres);
}

TEST(KMeans, KeepsTheBestRestart) {
  const DenseMatrix points = random_points(300, 3, 2);
  std::atomic<int> restarts = 0;
  const KMeansResult best =
      kmeans(Context(), points, 12, {.restarts = 20, .each_restart = [&] { ++restarts; }});
  EXPECT_EQ(restarts, 20);
  // The first restart is the same whatever their number.
  const KMeansResult first = kmeans(Context(), points, 12, {.restarts = 1});
  EXPECT_LT(best.inertia, first.inertia);
  double inertia = 0;
  std::set<std::int32_t> used;
  for (std::int64_t i = 0; i < points.rows; ++i) {
    const std::int32_t label = best.labels[static_cast<std::size_t>(i)];
    used.insert(label);
    for (std::int64_t c = 0; c < 3; ++c) {
      const double difference = points.row(i)[static_cast<std::size_t>(c)] -
                                best.centres[static_cast<std::size_t>(label * 3 + c)];
      inertia += difference * difference;
    }
  }
  EXPECT_NEAR(best.inertia, inertia, 1e-9 * inertia);
  EXPECT_EQ(used.size(), 12U);
}

TEST(KMeans, AsManyClustersAsDistinctPointsFindsThemAll) {
  // Each of five points many times: a start that drew one of them twice would miss another.
  std::vector<float> values;
  for (int copy = 0; copy < 40; ++copy) {
    for (int point = 0; point < 5; ++point) values.push_back(static_cast<float>(point * point));
  }
  values[0] = -0.0F;  // the same point as the other zeros
  const KMeansResult found = kmeans(Context(), matrix(1, values), 5, {.restarts = 1});
  EXPECT_EQ(found.inertia, 0);
  EXPECT_EQ(std::set<std::int32_t>(found.labels.begin(), found.labels.end()).size(), 5U);
}

TEST(KMeans, SeveralEmptyClustersTakeDifferentFarRows) {
  // Two of three centres are out of reach; the farthest row is there twice.
  const DenseMatrix points = matrix(1, {0, 1, 2, 9, 20, 20});
  const KMeansResult found = kmeans_from(Context(), points, std::vector<double>{0, 1e6, 2e6});
  EXPECT_TRUE(same_partition(found.labels, {0, 0, 0, 1, 2, 2}));
}

TEST(KMeans, AHugeOffsetDoesNotBlurTheLabels) {
  // The products cancel in all but the last digits; labels come from the differences.
  std::vector<float> values;
  for (int i = 0; i < 64; ++i) {
    values.push_back(1e6F + static_cast<float>(i % 4));
    values.push_back(-1e6F);
  }
  const DenseMatrix points = matrix(2, values);
  const KMeansResult found = kmeans(Context(), points, 4);
  EXPECT_EQ(found.inertia, 0);
}

TEST(KMeans, NearestCentresAreThoseOfThePlainSearch) {
  for (const std::int64_t cols : {19, 79}) {
    const auto width = static_cast<std::size_t>(cols);
    const DenseMatrix points = random_points(57'000 / cols, cols, 3);
    std::vector<double> centres;
    RandomStream stream(9, Purpose::test);
    for (std::int64_t i = 0; i < 11 * cols; ++i) centres.push_back(stream.normal());
    std::copy(centres.begin(), centres.begin() + cols, centres.begin() + 5 * cols);  // 5 equals 0
    const Labels found = nearest_centres(Context(), points, centres);
    for (std::int64_t i = 0; i < points.rows; ++i) {
      std::int32_t best = -1;
      double least = std::numeric_limits<double>::infinity();
      for (std::int32_t j = 0; j < 11; ++j) {
        double distance = 0;
        for (std::size_t c = 0; c < width; ++c) {
          const double difference =
              points.row(i)[c] - centres[static_cast<std::size_t>(j) * width + c];
          distance += difference * difference;
        }
        if (distance < least) {
          least = distance;
          best = j;
        }
      }
      ASSERT_EQ(found[static_cast<std::size_t>(i)], best) << "row " << i;
    }
  }
}

TEST(KMeans, RefusesWhatCannotBeClustered) {
  const DenseMatrix points = matrix(2, {0, 0, 1, 1, 0, 0, 2, 2, 1, 1});
  const auto refuse = [&](const DenseMatrix& values, std::int64_t k,
                          std::initializer_list<std::string> parts) {
    test::expect_error([&] { kmeans(Context(), values, k); }, parts);
  };
  refuse(points, 4, {"more clusters than distinct points", "k = 4", "3 distinct among 5 rows"});
  refuse(points, 0, {"k = 0", "at least 1"});
  refuse({.rows = 0, .cols = 2, .values = {}}, 1, {"k = 1", "0 distinct"});
  refuse({.rows = 3, .cols = 0, .values = {}}, 1, {"without columns"});
  refuse(matrix(1, {0, std::nanf("")}), 1, {"not a finite number", "row 1, column 1"});
  test::expect_error([&] { kmeans(Context(), points, 2, {.restarts = 0}); }, {"0 restarts"});
  test::expect_error(
      [&] {
        kmeans_from(Context(), points, std::vector<double>{1, 2, 3});
      },
      {"3 numbers", "k times 2"});
  test::expect_error([&] { nearest_centres(Context(), points, std::vector<double>{}); },
                     {"0 numbers"});
}

/// k-means++ by plain loops over the same draws: of 2 + floor(ln k) rows, each drawn in proportion
/// to its distance, the one that leaves the least in all.
TEST(KMeans, StartsWithTheBestOfSomeFarRows) {
  constexpr std::int64_t k = 9;
  const DenseMatrix values = random_points(50, 3, 4);
  const auto distance = [&](std::int64_t a, std::int64_t b) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double off = static_cast<double>(values.row(a)[c]) - values.row(b)[c];
      sum += off * off;
    }
    return sum;
  };
  for (std::uint32_t restart = 0; restart < 5; ++restart) {
    RandomStream stream(6, Purpose::kmeans, restart);
    std::vector<std::int64_t> chosen = {static_cast<std::int64_t>(stream.below(50))};
    const auto nearest = [&](std::int64_t i) {
      double least = std::numeric_limits<double>::infinity();
      for (const std::int64_t row : chosen) least = std::min(least, distance(i, row));
      return least;
    };
    while (chosen.size() < k) {
      double total = 0;
      for (std::int64_t i = 0; i < 50; ++i) total += nearest(i);
      std::int64_t best = -1;
      double best_left = std::numeric_limits<double>::infinity();
      for (int draw = 0; draw < 4; ++draw) {
        double left = stream.uniform_double() * total;
        std::int64_t row = 0;
        while (left >= nearest(row)) left -= nearest(row++);
        double left_over = 0;
        for (std::int64_t i = 0; i < 50; ++i) {
          left_over += std::min(nearest(i), distance(i, row));
        }
        if (left_over < best_left) best = row;
        best_left = std::min(best_left, left_over);
      }
      chosen.push_back(best);
    }
    std::vector<double> wanted;
    for (const std::int64_t row : chosen) {
      wanted.insert(wanted.end(), values.row(row).begin(), values.row(row).end());
    }
    const Context context;
    EXPECT_EQ(learn::draw_centres(context, learn::Points(context, values), k, 6, restart), wanted);
  }
}

TEST(KMeans, StopsOnCtrlC) {
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  EXPECT_THROW(kmeans(Context({.stop = stop}), random_points(100, 3, 1), 4), Interrupted);
}

}  // namespace
}  // namespace creg::kmeans_test
