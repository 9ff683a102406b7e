#include "io/node_names_file.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::node_names_file_test {
namespace {

using test::TempDir;

TEST(NodeNamesFile, GivesBackTheNamesOfAllRows) {
  const TempDir dir;
  const std::vector<std::string> names = {"a", "with\ttab", "", "Zoë"};
  write_node_names(dir / "n.tsv", NodeNames{names});
  const NodeNames found = read_node_names(dir / "n.tsv", "e.npy", 4);
  ASSERT_EQ(found.size(), 4);
  EXPECT_EQ(found[1], "with tab");
  EXPECT_EQ(found[2], "");
  EXPECT_EQ(found[3], "Zoë");
  write_node_names(dir / "none.tsv", {});
  EXPECT_EQ(dir.list(), std::vector<std::string>{"n.tsv"});
}

TEST(NodeNamesFile, ThatDoesNotFitTheRowsIsRefusedWithBothFiles) {
  const TempDir dir;
  const auto file = dir.write("nodes.tsv", "a\nb\n");
  test::expect_error([&] { read_node_names(file, "e.npy", 3); },
                     {"nodes.tsv", "2 lines", "3, the rows of e.npy"});
}

TEST(NodeNamesFile, IsFoundBesideItsEmbedding) {
  const TempDir dir;
  EXPECT_EQ(find_node_names(dir / "embedding.npy"), "");
  dir.write("nodes.tsv", "a\n");
  EXPECT_EQ(find_node_names(dir / "embedding.npy"), dir / "nodes.tsv");
  EXPECT_EQ(find_node_names(dir / "features.npy"), "") << "nodes.tsv is that of a run";
  dir.write("other.nodes.tsv", "a\n");
  EXPECT_EQ(find_node_names(dir / "other.npy"), dir / "other.nodes.tsv");
  dir.write("other.npy.nodes.tsv", "a\n");
  EXPECT_EQ(find_node_names(dir / "other.npy"), dir / "other.npy.nodes.tsv");
  EXPECT_EQ(node_names_path(dir / "other.npy"), dir / "other.npy.nodes.tsv");
}

}  // namespace
}  // namespace creg::node_names_file_test
