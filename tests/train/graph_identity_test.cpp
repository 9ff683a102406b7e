#include "train/loop/graph_identity.h"

#include <gtest/gtest.h>

#include "core/build_info.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "train/loop/resume_checks.h"

namespace creg::graph_identity_test {
namespace {

TEST(GraphIdentity, ChangesWithEdgesAndFeatures) {
  const Graph graph = test::two_groups();
  const TextPairs identity = graph_identity(Context(), graph);
  EXPECT_EQ(identity, graph_identity(Context(), test::two_groups()));
  Graph other = graph;
  other.adjacency.values =
      std::vector<float>(static_cast<std::size_t>(graph.adjacency.nonzeros()), 2.0F);
  EXPECT_NE(identity, graph_identity(Context(), other));
  other = graph;
  other.features = DenseMatrix{40, 1, std::vector<float>(40, 1.0F)};
  EXPECT_NE(identity, graph_identity(Context(), other));
  // Labels have no part in training.
  other = graph;
  other.labels = {};
  EXPECT_EQ(identity, graph_identity(Context(), other));
}

TEST(CheckResumable, AnotherVersionIsRefusedWithBoth) {
  Checkpoint checkpoint;
  checkpoint.version = "0.0.1";
  test::expect_error([&] { check_resumable(checkpoint, {}, {}, "x.pt"); },
                     {"x.pt", "another version", "0.0.1 there", build_info().version + " here"});
  checkpoint.version = build_info().version;
  check_resumable(checkpoint, {}, {}, "x.pt");
}

TEST(CheckResumable, NamesEveryDifference) {
  Checkpoint checkpoint;
  checkpoint.version = build_info().version;
  checkpoint.config = {{"lr", "1"}, {"k", "5"}};
  test::expect_error(
      [&] {
        check_resumable(checkpoint, {}, {{"lr", "2"}, {"k", "5"}, {"dim", "8"}}, "x.pt");
      },
      {"lr: 1 there, 2 here", "dim: nothing there, 8 here"});
}

}  // namespace
}  // namespace creg::graph_identity_test
