// Non-edges drawn by parts are those that one process draws.
#include "graph/part_non_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "graph/non_edges.h"
#include "support/attributed_graph.h"
#include "support/graphs.h"

namespace creg::part_non_edges_test {
namespace {

struct Part {
  std::vector<std::int32_t> own;
  PartNonEdges pairs;
};

/// Nodes in turn.
std::vector<Part> parts_of(const CsrMatrix& edges, int parts) {
  std::vector<Part> made;
  for (int p = 0; p < parts; ++p) {
    std::vector<std::int32_t> own;
    test::Edges entries;
    for (auto node = static_cast<std::int32_t>(p); node < edges.rows; node += parts) {
      for (const std::int32_t to : edges.row(node)) {
        entries.emplace_back(static_cast<std::int32_t>(own.size()), to);
      }
      own.push_back(node);
    }
    CsrMatrix rows = test::csr(edges.rows, entries);
    rows.rows = static_cast<std::int64_t>(own.size());
    const auto offsets = rows.offsets.span().first(own.size() + 1);
    rows.offsets = std::vector<std::int64_t>(offsets.begin(), offsets.end());
    made.push_back({own, PartNonEdges(edges.rows, own, rows)});
  }
  return made;
}

TEST(PartNonEdges, AreThoseOfOneProcess) {
  const Context context(Context::Options{.threads = 2});
  const Graph graph = test::two_groups(60);
  const NonEdgeSampler sampler(context, graph.adjacency, "");
  constexpr std::int64_t count = 5000;
  const CsrMatrix wanted = sampler.draw_rows(context, 3, Purpose::negatives, 7, count);
  for (const int size : {1, 3}) {
    const std::vector<Part> parts = parts_of(sampler.edges(), size);
    const PartNonEdges::Draw draw{
        .key = {3, Purpose::negatives, 7},
        .count = count,
        .attempts = PartNonEdges::usual_attempts(60, sampler.edges().nonzeros())};
    std::vector<std::int64_t> on_edges;
    for (const Part& part : parts) {
      const auto found = part.pairs.on_edges(context, draw);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      on_edges.insert(on_edges.end(), found.begin(), found.end());
    }
    std::sort(on_edges.begin(), on_edges.end());
    EXPECT_FALSE(on_edges.empty());
    for (const Part& part : parts) {
      const auto pairs = part.pairs.pairs(context, draw, on_edges);
      ASSERT_TRUE(pairs.has_value());
      for (std::size_t r = 0; r < part.own.size(); ++r) {
        const auto here = pairs->row(static_cast<std::int64_t>(r));
        const auto there = wanted.row(part.own[r]);
        EXPECT_TRUE(std::equal(here.begin(), here.end(), there.begin(), there.end()));
      }
    }
  }
}

TEST(PartNonEdges, TooFewAttemptsAreNoticed) {
  const Context context;
  const Graph graph = test::two_groups(60);
  const Part part = parts_of(NonEdgeSampler(context, graph.adjacency, "").edges(), 1).front();
  const PartNonEdges::Draw draw{.key = {3, Purpose::negatives, 7}, .count = 1024, .attempts = 1024};
  EXPECT_FALSE(part.pairs.pairs(context, draw, part.pairs.on_edges(context, draw)).has_value());
}

}  // namespace
}  // namespace creg::part_non_edges_test
