#include "contrast/adaptive_chances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contrast/edge_chances.h"
#include "graph/centrality.h"
#include "support/graphs.h"

namespace creg::adaptive_chances_test {
namespace {

/// The formula, step by step, in double.
std::vector<double> chances_by_formula(const std::vector<double>& s, double chance) {
  double largest = -1e300;
  double mean = 0;
  std::size_t count = 0;
  for (const double x : s) {
    if (std::isinf(x)) continue;
    largest = std::max(largest, x);
    mean += x;
    ++count;
  }
  mean /= static_cast<double>(count);
  std::vector<double> w;
  double mean_weight = 0;
  for (const double x : s) {
    w.push_back((largest - x) / (largest - mean));
    if (!std::isinf(x)) mean_weight += w.back() / static_cast<double>(count);
  }
  for (double& x : w) x = std::min(x / mean_weight * chance, 0.7);
  return w;
}

TEST(AdaptiveChances, AreTheFormula) {
  const std::vector<double> s = {0, 0.7, 2, -1, 1.3, -3, 0};
  for (const double chance : {0.05, 0.3, 0.6}) {
    const std::vector<double> wanted = chances_by_formula(s, chance);
    const std::vector<float> found = adaptive_chances(s, chance);
    for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6);
    EXPECT_EQ(found[2], 0);
  }
}

TEST(AdaptiveChances, WhatIsNeverThereIsLeftOut) {
  const std::vector<double> s = {1, -INFINITY, 2, 0.5};
  const std::vector<float> found = adaptive_chances(s, 0.3);
  const std::vector<double> wanted = chances_by_formula({1, 2, 0.5}, 0.3);
  EXPECT_NEAR(found[0], wanted[0], 1e-6);
  EXPECT_FLOAT_EQ(found[1], 0.7F);
  EXPECT_NEAR(found[2], wanted[1], 1e-6);
  EXPECT_NEAR(found[3], wanted[2], 1e-6);
  EXPECT_EQ(adaptive_chances(s, 0), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(adaptive_chances(std::vector<double>{-INFINITY}, 0.2), (std::vector<float>{0.7F}));
}

TEST(AdaptiveChances, EqualScoresHaveEqualChances) {
  const std::vector<double> s(7, std::log(3.0));
  EXPECT_EQ(adaptive_chances(s, 0.3), std::vector<float>(7, 0.3F));
  EXPECT_EQ(adaptive_chances(s, 0.9), std::vector<float>(7, 0.7F));
}

TEST(AdaptiveEdgeChances, GoByTheNodeThatAnEdgeLeadsTo) {
  // A hub, its leaves, and a tail.
  const CsrMatrix a = test::csr(
      6, {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}, {3, 4}, {4, 3}, {4, 5}, {5, 4}});
  const std::vector<double> degree = degree_centrality(Context(), a);
  std::vector<double> s;
  for (const auto& [u, v] : test::entries(a)) s.push_back(std::log(degree[v]));
  const std::vector<double> wanted = chances_by_formula(s, 0.4);
  const std::vector<float> found = adaptive_edge_chances(Context(), a, degree, 0.4);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6);
  EXPECT_EQ(found[3], 0);  // into the hub
}

}  // namespace
}  // namespace creg::adaptive_chances_test
