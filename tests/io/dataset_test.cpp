#include "creg/io/dataset.h"

#include <gtest/gtest.h>

#include "graph/stats.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::dataset_test {
namespace {

using Names = std::vector<std::string>;

TEST(OpenDataset, NothingNamedIsTheEmbeddedGraph) {
  const Dataset dataset = open_dataset(Context(), "", "");
  EXPECT_EQ(dataset.raw.name, default_dataset);
  EXPECT_EQ(dataset.protocol, "public");
  // The run's seed is not the data's: every run has the same default graph.
  const Dataset again = open_dataset(Context({.seed = 5}), "", "");
  EXPECT_EQ(test::entries(again.raw.adjacency), test::entries(dataset.raw.adjacency));
}

TEST(OpenDataset, ANameThatIsNothingSuggestsNames) {
  test::expect_error([] { open_dataset(Context(), "citeser", ""); }, {"citeseer"});
  test::expect_error([] { open_dataset(Context(), "./citeser", ""); }, {"no such file or folder"});
}

TEST(OpenDataset, APathHasNoTransformsOfItsOwn) {
  const test::TempDir dir;
  dir.write("a.npz", test::scipy_npz(test::csr(3, {{0, 1}, {1, 2}})));
  const Dataset dataset = open_dataset(Context(), (dir / "a.npz").string(), "");
  EXPECT_EQ(dataset.format, "scipy-sparse");
  EXPECT_TRUE(dataset.transforms.empty());
  EXPECT_TRUE(dataset.protocol.empty());
  EXPECT_EQ(dataset.entry, nullptr);
  // A matrix says which way an edge points, and nothing says to forget it.
  EXPECT_EQ(prepare_graph(Context(), dataset).adjacency.nonzeros(), 2);
  EXPECT_EQ(prepare_graph(Context(), dataset, {"symmetrise"}).adjacency.nonzeros(), 4);
}

TEST(OpenDataset, TomlBringsItsTransformsAndSplits) {
  const test::TempDir dir;
  dir.write("e.csv", "0,1\n1,2\n2,2\n");
  dir.write("s.json", R"({"train": [0], "val": [1], "test": [2]})");
  dir.write("l.csv", "0,a\n1,b\n2,a\n");
  dir.write("g.toml",
            "edges = 'e.csv'\nlabels = 'l.csv'\nsplits = 's.json'\n"
            "transforms = ['largest-component']\n");
  const Dataset dataset = open_dataset(Context(), (dir / "g.toml").string(), "");
  EXPECT_EQ(dataset.transforms, Names{"largest-component"});
  EXPECT_EQ(dataset.protocol, "public");
  EXPECT_EQ(dataset.raw.adjacency.nonzeros(), 3);
  EXPECT_EQ(prepare_graph(Context(), dataset).adjacency.nonzeros(), 4);
}

TEST(OpenDataset, TwoPlanetoidDatasetsInOneFolderAreAnError) {
  const test::TempDir dir;
  dir.write("ind.one.x", "x");
  dir.write("ind.two.x", "x");
  test::expect_error([&] { open_dataset(Context(), dir.path().string(), ""); },
                     {"several Planetoid datasets", "one and two"});
}

TEST(OpenDataset, CatalogueNamesApplyTheirTransforms) {
  CREG_REQUIRE_REAL_DATA(data);
  const Dataset wiki = open_dataset(Context(), "wiki", data);
  const Graph graph = prepare_graph(Context(), wiki);
  float largest = 0;
  for (const float x : std::get<CsrMatrix>(graph.features).values) largest = std::max(largest, x);
  EXPECT_EQ(largest, 1.0F);
  EXPECT_FALSE(graph.directed);
  const Dataset cora_ml = open_dataset(Context(), "cora-ml", data);
  EXPECT_TRUE(prepare_graph(Context(), cora_ml).directed);
}

}  // namespace
}  // namespace creg::dataset_test
