#include "io/dataset_size.h"

#include <gtest/gtest.h>

#include <vector>

#include "graph/generators.h"
#include "io/creg_file.h"
#include "io/data_folder.h"
#include "io/npy.h"
#include "io/write_graph.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::dataset_size_test {
namespace {

std::optional<DatasetSize> measure(const std::filesystem::path& path) {
  return dataset_size(Context(), path.string(), "");
}

std::string ring(int edges) {
  std::string text;
  for (int i = 0; i < edges; ++i) {
    text += std::to_string(10000 + i) + "," + std::to_string(10000 + (i + 1) % edges) + "\n";
  }
  return text;
}

TEST(DatasetSize, OfAGeneratorIsThatOfItsGraph) {
  for (const char* name : {"synthetic:cora@0.1", "synthetic:arxiv@0.01", ""}) {
    const DatasetSize size = *dataset_size(Context(), name, "");
    const Graph graph = prepare_graph(Context(), open_dataset(Context(), name, ""));
    EXPECT_FALSE(size.estimated);
    EXPECT_EQ(size.graph.nodes, graph.nodes()) << name;
    EXPECT_EQ(size.graph.entries, graph.adjacency.nonzeros()) << name;
    EXPECT_EQ(2 * size.edges, graph.adjacency.nonzeros()) << name;
    EXPECT_EQ(size.graph.features, feature_cols(graph.features)) << name;
    EXPECT_EQ(size.graph.classes, graph.classes()) << name;
    EXPECT_EQ(size.graph.adjacency_bytes, graph.adjacency.bytes()) << name;
    EXPECT_NEAR(static_cast<double>(size.graph.feature_bytes),
                static_cast<double>(feature_bytes(graph.features)),
                0.1 * static_cast<double>(feature_bytes(graph.features)))
        << name;
    EXPECT_EQ(size.dataset.raw.name, graph.name);
    EXPECT_EQ(size.dataset.raw.nodes(), 0);
  }
  // Made, it would take a minute and some gigabytes.
  EXPECT_EQ(dataset_size(Context(), "synthetic:products", "")->edges, 61'859'140);
}

TEST(DatasetSize, OfTheCatalogueIsExact) {
  CREG_REQUIRE_REAL_DATA(data);
  const DatasetSize size = *dataset_size(Context(), "cora", data);
  EXPECT_EQ(size.graph.nodes, 2708);
  EXPECT_EQ(size.edges, 5278);
  EXPECT_EQ(size.graph.features, 1433);
  EXPECT_FALSE(size.estimated);
  EXPECT_EQ(size.dataset.protocol, "public");
}

TEST(DatasetSize, OfTheCatalogueIsNotTooSmall) {
  CREG_REQUIRE_REAL_DATA(data);
  for (const char* name : {"cora", "wiki", "computers", "photo"}) {
    const GraphSize size = dataset_size(Context(), name, data)->graph;
    const Graph graph = prepare_graph(Context(), open_dataset(Context(), name, data));
    EXPECT_EQ(size.nodes, graph.nodes()) << name;
    EXPECT_EQ(size.entries, graph.adjacency.nonzeros()) << name;
    EXPECT_EQ(size.features, feature_cols(graph.features)) << name;
    EXPECT_GE(size.feature_entries, feature_nonzeros(graph.features)) << name;
  }
}

TEST(DatasetSize, OfACregFileIsInItsHeader) {
  const test::TempDir dir;
  Graph graph = test::path_graph(40);
  graph.features = DenseMatrix{.rows = 40, .cols = 3, .values = std::vector<float>(120, 1)};
  write_creg(Context(), dir / "g.creg", graph, {});
  const DatasetSize size = *measure(dir / "g.creg");
  EXPECT_FALSE(size.estimated);
  EXPECT_EQ(size.graph.nodes, 40);
  EXPECT_EQ(size.edges, graph.adjacency.nonzeros());
  EXPECT_EQ(size.graph.features, 3);
  EXPECT_FALSE(size.graph.sparse_features);
  EXPECT_EQ(size.graph.feature_bytes, 480);
  // Sections are not looked at, the header is.
  std::string bytes = test::read_text(dir / "g.creg");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(measure(dir.write("last.creg", bytes))->graph.nodes, 40);
  bytes[16] = static_cast<char>(bytes[16] ^ 1);
  test::expect_error([&] { measure(dir.write("first.creg", bytes)); },
                     {"first.creg", "checksum is wrong"});
}

TEST(DatasetSize, OfTextIsGuessedFromItsLength) {
  const test::TempDir dir;
  const DatasetSize edges = *measure(dir.write("e.csv", ring(5000)));
  EXPECT_TRUE(edges.estimated);
  EXPECT_NEAR(static_cast<double>(edges.edges), 5000, 50);
  EXPECT_EQ(edges.graph.features, 0);
  std::string features = "id,x,y\n";
  for (int i = 0; i < 4000; ++i) features += std::to_string(10000 + i) + ",1.5,2.5\n";
  dir.write("x.csv", features);
  const DatasetSize keyed = *measure(dir.write("d.toml", "edges = 'e.csv'\nfeatures = 'x.csv'\n"));
  EXPECT_TRUE(keyed.estimated);
  EXPECT_NEAR(static_cast<double>(keyed.graph.nodes), 4000, 40);
  EXPECT_EQ(keyed.graph.features, 2);
  EXPECT_EQ(keyed.dataset.raw.name, "d");
  write_npy(dir / "x.npy", DenseMatrix{.rows = 4, .cols = 2, .values = std::vector<float>(8, 1)});
  const DatasetSize array = *measure(dir.write("a.toml", "edges = 'e.csv'\nfeatures = 'x.npy'\n"));
  EXPECT_EQ(array.graph.nodes, 4);
  EXPECT_EQ(array.graph.features, 2);
}

TEST(DatasetSize, OfOtherFilesIsNotKnown) {
  const test::TempDir dir;
  write_graph(Context(), dir / "g.npz", test::path_graph(4), {});
  EXPECT_FALSE(measure(dir / "g.npz"));
  EXPECT_FALSE(measure(dir / "not there"));
}

}  // namespace
}  // namespace creg::dataset_size_test
