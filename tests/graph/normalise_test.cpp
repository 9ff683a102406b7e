#include "graph/normalise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::normalise_test {
namespace {

using test::Edges;

std::vector<float> values(const CsrMatrix& matrix) {
  return {matrix.values.begin(), matrix.values.end()};
}

TEST(WithSelfLoops, ChangesLoopsByName) {
  const CsrMatrix a = test::csr(3, {{0, 0}, {0, 1}, {1, 0}, {2, 1}}, {5, 2, 3, 4});
  const Context context;
  const Edges full = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {2, 2}};
  const auto loops = [&](SelfLoops kind) { return with_self_loops(context, a, kind); };
  EXPECT_EQ(test::entries(loops(SelfLoops::as_stored)), test::entries(a));
  EXPECT_EQ(test::entries(loops(SelfLoops::missing)), full);
  EXPECT_EQ(values(loops(SelfLoops::missing)), (std::vector<float>{5, 2, 3, 1, 4, 1}));
  EXPECT_EQ(values(loops(SelfLoops::replaced)), (std::vector<float>{1, 2, 3, 1, 4, 1}));
  EXPECT_EQ(values(loops(SelfLoops::plus_one)), (std::vector<float>{6, 2, 3, 1, 4, 1}));
  EXPECT_EQ(values(loops(SelfLoops::plus_two)), (std::vector<float>{7, 2, 3, 2, 4, 2}));
}

TEST(WithSelfLoops, RepeatsAddUpAndResultsHaveValues) {
  const CsrMatrix m =
      with_self_loops(Context(), test::csr(2, {{0, 1}, {0, 1}}), SelfLoops::missing);
  EXPECT_EQ(test::entries(m), (Edges{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(values(m), (std::vector<float>{1, 2, 1}));
}

TEST(GcnNormalised, RowsAggregateOverIncomingEdges) {
  // 0 -> 1, 0 -> 2, 1 -> 2: in-degrees with loops are 1, 2 and 3.
  const CsrMatrix m = gcn_normalised(Context(), test::csr(3, {{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(test::entries(m), (Edges{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}));
  const std::vector<float> v = values(m);
  const auto root = [](double x) { return static_cast<float>(1 / std::sqrt(x)); };
  EXPECT_FLOAT_EQ(v[0], 1);
  EXPECT_FLOAT_EQ(v[1], root(2));
  EXPECT_FLOAT_EQ(v[2], 0.5F);
  EXPECT_FLOAT_EQ(v[3], root(3));
  EXPECT_FLOAT_EQ(v[4], root(6));
  EXPECT_FLOAT_EQ(v[5], 1 / 3.0F);
}

TEST(GcnNormalised, DegreeZeroGivesZero) {
  const CsrMatrix m = gcn_normalised(Context(), test::csr(2, {{0, 1}}), SelfLoops::as_stored);
  EXPECT_EQ(test::entries(m), (Edges{{1, 0}}));
  EXPECT_EQ(values(m), (std::vector<float>{0}));
}

TEST(GcnNormalised, RefusesNegativeDegrees) {
  test::expect_error(
      [] {
        gcn_normalised(Context(), test::csr(2, {{0, 1}}, {-3}));
      },
      {"negative", "node 1", "found -2"});
}

TEST(RowNormalised, AveragesOverTheChosenNeighbours) {
  const CsrMatrix a = test::csr(3, {{0, 2}, {1, 2}});
  const CsrMatrix in = row_normalised(Context(), a, SelfLoops::as_stored);
  EXPECT_EQ(test::entries(in), (Edges{{2, 0}, {2, 1}}));
  EXPECT_EQ(values(in), (std::vector<float>{0.5F, 0.5F}));
  const CsrMatrix out = row_normalised(Context(), a, SelfLoops::missing, Neighbours::out);
  EXPECT_EQ(test::entries(out), (Edges{{0, 0}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
  EXPECT_EQ(values(out), (std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F, 1}));
}

TEST(PersonalisedPagerank, IsUniformOnACycle) {
  for (const double p :
       personalised_pagerank(Context(), test::csr(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}), 0.1)) {
    EXPECT_DOUBLE_EQ(p, 0.25);
  }
}

TEST(PersonalisedPagerank, RefusesAnAlphaThatCannotStart) {
  test::expect_error([] { personalised_pagerank(Context(), test::csr(1, {}), -1); },
                     {"teleport probability", "found -1"});
  test::expect_error([] { pagerank_laplacian(Context(), test::csr(1, {}), NAN); },
                     {"teleport probability"});
}

TEST(Normalise, TakesGraphsWithoutNodesOrEdges) {
  for (const std::int64_t nodes : {0, 1, 3}) {
    const CsrMatrix a = test::csr(nodes, {});
    for (const CsrMatrix& m :
         {gcn_normalised(Context(), a), row_normalised(Context(), a, SelfLoops::missing),
          low_pass_filter(Context(), a), pagerank_laplacian(Context(), a, 0.1)}) {
      EXPECT_EQ(m.rows, nodes);
      EXPECT_EQ(values(m), std::vector<float>(static_cast<std::size_t>(nodes), 1));
    }
    EXPECT_EQ(row_normalised(Context(), a, SelfLoops::as_stored).nonzeros(), 0);
  }
}

}  // namespace
}  // namespace creg::normalise_test
