#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/generators.h"
#include "support/graphs.h"

namespace creg::generators_properties_test {
namespace {

// Any small spec, from no edges at all to every pair.
GeneratorSpec random_spec() {
  GeneratorSpec spec;
  const auto classes = *rc::gen::inRange(1, 6);
  for (int c = 0; c < classes; ++c) {
    spec.class_shares.push_back(*rc::gen::inRange(1, 20));
  }
  spec.nodes = *rc::gen::inRange<std::int64_t>(8 * classes, 8 * classes + 60);
  const std::int64_t pairs = spec.nodes * (spec.nodes - 1) / 2;
  spec.edges =
      *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, pairs + 1),
                      rc::gen::inRange<std::int64_t>(0, 3 * spec.nodes), rc::gen::just(pairs));
  const auto percent = rc::gen::inRange(0, 101);
  spec.homophily = *percent / 100.0;
  spec.community_share = *percent / 100.0;
  spec.label_noise = *rc::gen::inRange(0, 50) / 100.0;
  spec.off_topic = *percent / 100.0;
  spec.community_nodes = *rc::gen::inRange<std::int64_t>(1, 40);
  spec.degree_cap = *rc::gen::inRange(1, 1000);
  spec.feature_count = *rc::gen::inRange<std::int64_t>(1, 40);
  spec.words = *rc::gen::inRange(1, 30);
  spec.features = *rc::gen::element(SyntheticFeatures::bag_of_words, SyntheticFeatures::tf_idf,
                                    SyntheticFeatures::dense);
  spec.split = *rc::gen::element(SyntheticSplit::planetoid, SyntheticSplit::random_54_18_28);
  spec.seed = *rc::gen::arbitrary<std::uint64_t>();
  return spec;
}

RC_GTEST_PROP(GeneratorProperties, AnySpecGivesAWholeGraphWithExactlyItsEdges, ()) {
  const GeneratorSpec spec = random_spec();
  const Graph graph = generate(Context({.threads = 1}), spec);
  validate(graph, "generated");
  const test::Edges entries = test::entries(graph.adjacency);
  const std::set<std::pair<std::int32_t, std::int32_t>> distinct(entries.begin(), entries.end());
  RC_ASSERT(static_cast<std::int64_t>(entries.size()) == 2 * spec.edges);
  RC_ASSERT(distinct.size() == entries.size());
  for (const auto& [u, v] : entries) RC_ASSERT(u != v && distinct.contains({v, u}));
  RC_ASSERT(graph.nodes() == spec.nodes);
  RC_ASSERT(graph.classes() == static_cast<std::int32_t>(spec.class_shares.size()));
  if (spec.edges >= spec.nodes) {
    for (std::int64_t u = 0; u < spec.nodes; ++u) RC_ASSERT(!graph.adjacency.row(u).empty());
  }
  const Split& split = graph.splits.front();
  RC_ASSERT(split.train.size() + split.val.size() + split.test.size() == spec.nodes);
}

RC_GTEST_PROP(GeneratorProperties, ThreadsDoNotMatter, ()) {
  const GeneratorSpec spec = random_spec();
  const Graph one = generate(Context({.threads = 1}), spec);
  const Graph five = generate(Context({.threads = 5}), spec);
  RC_ASSERT(test::entries(one.adjacency) == test::entries(five.adjacency));
  RC_ASSERT(std::ranges::equal(one.labels, five.labels));
  const DenseMatrix x = to_dense(one.features);
  RC_ASSERT(std::ranges::equal(x.values, to_dense(five.features).values));
}

}  // namespace
}  // namespace creg::generators_properties_test
