#include "graph/diffusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "creg/core/random.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::diffusion_test {
namespace {

using Dense = std::vector<std::vector<double>>;

/// More nodes than one block of rows holds, the last of them isolated.
CsrMatrix random_edges(std::int32_t nodes, bool directed) {
  RandomStream stream(3, Purpose::test);
  test::Edges edges;
  for (int i = 0; i < 3 * nodes; ++i) {
    const auto u = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes - 1)));
    const auto v = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes - 1)));
    if (u == v) continue;
    edges.emplace_back(u, v);
    if (!directed) edges.emplace_back(v, u);
  }
  return test::csr(nodes, edges);
}

/// alpha (I - (1 - alpha) D^-1/2 (A + loop I) D^-1/2)^-1 by elimination.
Dense reference(const CsrMatrix& adjacency, double alpha, double loop) {
  const auto n = static_cast<std::size_t>(adjacency.rows);
  Dense a(n, std::vector<double>(n, 0));
  for (std::size_t u = 0; u < n; ++u) {
    a[u][u] += loop;
    for (const std::int32_t v : adjacency.row(static_cast<std::int64_t>(u))) {
      a[static_cast<std::size_t>(v)][u] += 1;  // v gathers from u
    }
  }
  std::vector<double> root(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (const double weight : a[i]) sum += weight;
    root[i] = std::sqrt(sum);
  }
  Dense inverse(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] = (i == j ? 1.0 : 0.0) - (1 - alpha) * a[i][j] / (root[i] * root[j]);
    }
    inverse[i][i] = alpha;
  }
  for (std::size_t p = 0; p < n; ++p) {  // no pivoting: the diagonal dominates
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double factor = a[i][p] / a[p][p];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[p][j];
        inverse[i][j] -= factor * inverse[p][j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) inverse[i][j] /= a[i][i];
  }
  return inverse;
}

Dense cells(const CsrMatrix& matrix) {
  Dense out(static_cast<std::size_t>(matrix.rows),
            std::vector<double>(static_cast<std::size_t>(matrix.cols), 0));
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      out[static_cast<std::size_t>(r)][static_cast<std::size_t>(matrix.columns[e])] +=
          matrix.value(e);
    }
  }
  return out;
}

double difference(const Dense& a, const Dense& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      largest = std::max(largest, std::abs(a[i][j] - b[i][j]));
    }
  }
  return largest;
}

TEST(PprDiffusion, IsTheInverse) {
  for (const bool directed : {false, true}) {
    const CsrMatrix adjacency = random_edges(130, directed);
    for (const double alpha : {0.1, 0.2, 1.0}) {
      EXPECT_LT(difference(cells(ppr_diffusion(Context(), adjacency, {.alpha = alpha})),
                           reference(adjacency, alpha, 2)),
                2e-6)
          << alpha << (directed ? " directed" : "");
    }
    EXPECT_LT(difference(cells(ppr_diffusion(Context(), adjacency, {.loops = SelfLoops::plus_one})),
                         reference(adjacency, 0.2, 1)),
              2e-6);
  }
}

TEST(PprDiffusion, DoesNotDependOnTheNumberOfThreads) {
  const CsrMatrix adjacency = random_edges(200, false);
  const CsrMatrix one = ppr_diffusion(Context({.threads = 1}), adjacency);
  const CsrMatrix three = ppr_diffusion(Context({.threads = 3}), adjacency);
  EXPECT_TRUE(test::same(one, three));
}

TEST(PprDiffusion, AThresholdDropsWhatIsBelow) {
  const CsrMatrix adjacency = random_edges(130, false);
  const CsrMatrix full = ppr_diffusion(Context(), adjacency);
  const CsrMatrix kept = ppr_diffusion(Context(), adjacency, {.threshold = 1e-2});
  EXPECT_LT(kept.nonzeros(), full.nonzeros());
  EXPECT_TRUE(test::same(kept, without_small_entries(Context(), full, 1e-2)));
  const Dense all = cells(full);
  const Dense rest = cells(kept);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(rest[i][j], all[i][j] >= 1e-2 ? all[i][j] : 0);
    }
  }
}

TEST(PprDiffusion, RefusesAChanceOutsideItsRange) {
  const CsrMatrix adjacency = random_edges(20, false);
  for (const double alpha : {0.0, -0.5, 1.5}) {
    test::expect_error([&] { ppr_diffusion(Context(), adjacency, {.alpha = alpha}); },
                       {"at most 1"});
  }
}

TEST(ThresholdForDegree, TakesTheClosest) {
  // 8 entries in 4 rows: 2 a row from 0.1 on, 1 from 0.5 on, 0.25 from 0.9 on.
  const CsrMatrix matrix =
      test::csr(4, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 0}},
                {0.9F, 0.1F, 0.5F, 0.1F, 0.5F, 0.1F, 0.5F, 0.1F});
  const std::vector<double> candidates = {0.05, 0.3, 0.7};
  EXPECT_EQ(threshold_for_degree(matrix, 1.9, candidates), 0.05);
  EXPECT_EQ(threshold_for_degree(matrix, 1.2, candidates), 0.3);
  EXPECT_EQ(threshold_for_degree(matrix, 0, candidates), 0.7);
  EXPECT_EQ(threshold_for_degree(matrix, 1.5, candidates), 0.05);  // of equals the first
}

TEST(MinMaxColumns, CellsThatAreNotStoredCount) {
  // Column 0 is full and lies in 2..6, column 1 has a cell that is not stored, column 2 is
  // constant.
  const CsrMatrix matrix =
      test::csr(3, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2}},
                {2, 4, 7, 6, 7, 3, 1, 7});
  const CsrMatrix scaled = min_max_columns(Context(), matrix);
  const Dense wanted = {{0, 1, 0}, {1, 0, 0}, {0.25, 0.25, 0}};
  EXPECT_LT(difference(cells(scaled), wanted), 1e-7);
}

}  // namespace
}  // namespace creg::diffusion_test
