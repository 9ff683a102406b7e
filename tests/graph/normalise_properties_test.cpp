// Every normalisation against its formula written out on dense matrices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "graph/normalise.h"
#include "graph/transforms.h"
#include "support/arbitrary_graph.h"
#include "support/dense.h"

namespace creg::normalise_properties_test {
namespace {

using test::Dense;
using test::dense_of;
constexpr double close = 1e-6;

CsrMatrix arbitrary_matrix() {
  return test::arbitrary_adjacency(test::in_range<std::int32_t>(0, 16),
                                   *rc::gen::arbitrary<bool>());
}

SelfLoops arbitrary_loops() {
  return *rc::gen::element(SelfLoops::as_stored, SelfLoops::missing, SelfLoops::replaced,
                           SelfLoops::plus_one, SelfLoops::plus_two);
}

Dense looped(const CsrMatrix& adjacency, SelfLoops loops) {
  Dense a = dense_of(adjacency);
  for (std::int64_t i = 0; i < a.size; ++i) {
    if (loops == SelfLoops::missing && a(i, i) == 0) a(i, i) = 1;
    if (loops == SelfLoops::replaced) a(i, i) = 1;
    if (loops == SelfLoops::plus_one) a(i, i) += 1;
    if (loops == SelfLoops::plus_two) a(i, i) += 2;
  }
  return a;
}

Dense reference_gcn(const CsrMatrix& adjacency, SelfLoops loops) {
  const Dense a = looped(adjacency, loops);
  std::vector<double> degree(static_cast<std::size_t>(a.size), 0);
  for (std::int64_t j = 0; j < a.size; ++j) {
    for (std::int64_t i = 0; i < a.size; ++i) degree[static_cast<std::size_t>(i)] += a(j, i);
  }
  Dense result(a.size);
  for (std::int64_t i = 0; i < a.size; ++i) {
    for (std::int64_t j = 0; j < a.size; ++j) {
      const double d = degree[static_cast<std::size_t>(i)] * degree[static_cast<std::size_t>(j)];
      result(i, j) = d > 0 ? a(j, i) / std::sqrt(d) : 0;
    }
  }
  return result;
}

RC_GTEST_PROP(NormaliseProperties, GcnIsItsFormula, ()) {
  const CsrMatrix a = arbitrary_matrix();
  const SelfLoops loops = arbitrary_loops();
  RC_ASSERT(distance(dense_of(gcn_normalised(Context(), a, loops)), reference_gcn(a, loops)) <
            close);
}

RC_GTEST_PROP(NormaliseProperties, LowPassFilterIsItsFormula, ()) {
  const CsrMatrix a = arbitrary_matrix();
  const SelfLoops loops = arbitrary_loops();
  Dense expected = reference_gcn(a, loops);
  for (std::int64_t i = 0; i < expected.size; ++i) expected(i, i) += 1;
  for (double& x : expected.values) x /= 2;
  RC_ASSERT(distance(dense_of(low_pass_filter(Context(), a, loops)), expected) < close);
}

RC_GTEST_PROP(NormaliseProperties, RowNormalisedIsItsFormula, ()) {
  const CsrMatrix matrix = arbitrary_matrix();
  const SelfLoops loops = arbitrary_loops();
  const bool incoming = *rc::gen::arbitrary<bool>();
  const Dense a = looped(matrix, loops);
  Dense expected(a.size);
  for (std::int64_t i = 0; i < a.size; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < a.size; ++j) sum += incoming ? a(j, i) : a(i, j);
    for (std::int64_t j = 0; j < a.size; ++j) {
      expected(i, j) = sum == 0 ? 0 : (incoming ? a(j, i) : a(i, j)) / sum;
    }
  }
  const CsrMatrix result =
      row_normalised(Context(), matrix, loops, incoming ? Neighbours::in : Neighbours::out);
  RC_ASSERT(distance(dense_of(result), expected) < close);
}

RC_GTEST_PROP(NormaliseProperties, GcnOfAnUndirectedGraphIsSymmetricWithRadiusAtMostOne, ()) {
  const auto nodes = test::in_range<std::int32_t>(1, 16);
  Graph graph;
  graph.adjacency = test::arbitrary_adjacency(nodes, *rc::gen::arbitrary<bool>());
  const Dense m = dense_of(gcn_normalised(Context(), symmetrise(Context(), graph).adjacency));
  std::vector<double> x(static_cast<std::size_t>(nodes), 1);
  double growth = 0;
  constexpr int steps = 200;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> y(x.size(), 0);
    double squares = 0;
    for (std::int64_t i = 0; i < nodes; ++i) {
      for (std::int64_t j = 0; j < nodes; ++j) {
        RC_ASSERT(std::abs(m(i, j) - m(j, i)) < close);
        y[static_cast<std::size_t>(i)] += m(i, j) * x[static_cast<std::size_t>(j)];
      }
      squares += y[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)];
    }
    growth = std::sqrt(squares);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] / growth;
  }
  RC_ASSERT(growth <= 1 + 1e-5);
}

// DiGCL's matrix step by step: PageRank by the dense iteration, then the two products.
Dense reference_laplacian(const CsrMatrix& adjacency, double alpha) {
  Dense p = looped(adjacency, SelfLoops::plus_one);
  const std::int64_t n = p.size;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += p(i, j);
    for (std::int64_t j = 0; j < n; ++j) p(i, j) /= sum;
  }
  const auto count = static_cast<double>(n);
  std::vector<double> pi(static_cast<std::size_t>(n), 1 / (1 + alpha) / count);
  std::vector<double> old(static_cast<std::size_t>(n), 0);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double squares = 0;
    double total = 0;
    for (std::size_t i = 0; i < pi.size(); ++i) {
      squares += (pi[i] - old[i]) * (pi[i] - old[i]);
      total += pi[i];
    }
    if (std::sqrt(squares) <= 1e-6) break;
    old = pi;
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += p(i, j) * old[static_cast<std::size_t>(i)];
      pi[static_cast<std::size_t>(j)] = (1 - alpha) * sum + alpha / count * total;
    }
  }
  double total = 0;
  for (const double x : pi) total += x;
  for (double& x : pi) x /= total;
  Dense l(n);
  const auto at = [&](std::int64_t i) { return pi[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double value = (std::sqrt(at(i)) * p(i, j) * std::pow(at(j), -0.5) +
                            std::pow(at(i), -0.5) * p(j, i) * std::sqrt(at(j))) /
                           2;
      l(i, j) = std::isnan(value) ? 0 : value;
    }
  }
  std::vector<double> sums(static_cast<std::size_t>(n), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) sums[static_cast<std::size_t>(i)] += l(i, j);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double d = sums[static_cast<std::size_t>(i)] * sums[static_cast<std::size_t>(j)];
      l(i, j) = d > 0 ? l(i, j) / std::sqrt(d) : 0;
    }
  }
  return l;
}

RC_GTEST_PROP(NormaliseProperties, PagerankLaplacianIsItsFormula, ()) {
  const CsrMatrix a = arbitrary_matrix();
  // 1.7 is where the curriculum starts: it makes entries of pi negative.
  const double alpha = *rc::gen::element(0.1, 0.5, 0.9, 1.0, 1.7);
  const CsrMatrix result = pagerank_laplacian(Context(), a, alpha);
  for (const float x : result.values) RC_ASSERT(std::isfinite(x));
  RC_ASSERT(distance(dense_of(result), reference_laplacian(a, alpha)) < close);
}

TEST(PagerankLaplacian, ALargeAlphaMakesAStarsCentreVanish) {
  // All point to 0, whose share (1 - 1.7) * 20 steps in is negative.
  test::Edges edges;
  for (std::int32_t i = 1; i < 20; ++i) edges.emplace_back(i, 0);
  const CsrMatrix star = test::csr(20, edges);
  EXPECT_LT(personalised_pagerank(Context(), star, 1.7)[0], 0);
  const CsrMatrix l = pagerank_laplacian(Context(), star, 1.7);
  for (std::int64_t e = l.offsets[0]; e < l.offsets[1]; ++e) EXPECT_EQ(l.values[e], 0);
  EXPECT_LT(distance(dense_of(l), reference_laplacian(star, 1.7)), close);
}

}  // namespace
}  // namespace creg::normalise_properties_test
