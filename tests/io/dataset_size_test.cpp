#include "io/dataset_size.h"

#include <gtest/gtest.h>

#include <vector>

#include "graph/generators.h"
#include "io/creg_file.h"
#include "io/data_folder.h"
#include "io/npy.h"
#include "io/write_graph.h"
#include "support/compress.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"
#include "support/test_data.h"
#include "support/zip_builder.h"

namespace creg::dataset_size_test {
namespace {

using test::npy;
using test::raw;

DatasetSize measure(const std::filesystem::path& path) {
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
    const DatasetSize size = dataset_size(Context(), name, "");
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
  EXPECT_EQ(dataset_size(Context(), "synthetic:products", "").edges, 61'859'140);
}

void expect_size(const GraphSize& found, const GraphSize& wanted, const std::string& name) {
  EXPECT_EQ(found.nodes, wanted.nodes) << name;
  EXPECT_EQ(found.entries, wanted.entries) << name;
  EXPECT_EQ(found.adjacency_bytes, wanted.adjacency_bytes) << name;
  EXPECT_EQ(found.directed, wanted.directed) << name;
  EXPECT_EQ(found.features, wanted.features) << name;
  EXPECT_EQ(found.feature_entries, wanted.feature_entries) << name;
  EXPECT_EQ(found.sparse_features, wanted.sparse_features) << name;
  EXPECT_EQ(found.feature_bytes, wanted.feature_bytes) << name;
  EXPECT_EQ(found.classes, wanted.classes) << name;
}

TEST(DatasetSize, OfTheCatalogueIsExact) {
  CREG_REQUIRE_REAL_DATA(data);
  for (const char* name : {"cora", "citeseer", "wiki", "computers", "photo", "cora-ml",
                           "citeseer-directed", "cora-npz"}) {
    const Graph graph = prepare_graph(Context(), open_dataset(Context(), name, data));
    const DatasetSize size = dataset_size(Context(), name, data);
    expect_size(size.graph, size_of(graph), name);
    EXPECT_EQ(size.edges, graph.adjacency.nonzeros() / (graph.directed ? 1 : 2)) << name;
    EXPECT_FALSE(size.estimated) << name;
    EXPECT_EQ(size.dataset.raw.name, name);
    EXPECT_NE(size.dataset.protocol, "") << name;
  }
}

/// As when it is opened: its recipes and its figures go with it.
TEST(DatasetSize, OfACataloguedPathIsThatOfItsDataset) {
  CREG_REQUIRE_REAL_DATA(data);
  const DatasetSize size = measure(data / "citeseer");
  EXPECT_EQ(size.dataset.entry->name, "citeseer");
  EXPECT_EQ(size.edges, dataset_size(Context(), "citeseer", data).edges);
  EXPECT_FALSE(size.estimated);
}

TEST(DatasetSize, OfACregFileIsInItsHeader) {
  const test::TempDir dir;
  Graph graph = test::path_graph(40);
  graph.features = DenseMatrix{.rows = 40, .cols = 3, .values = std::vector<float>(120, 1)};
  write_creg(Context(), dir / "g.creg", graph, {});
  const DatasetSize size = measure(dir / "g.creg");
  EXPECT_FALSE(size.estimated);
  EXPECT_EQ(size.graph.nodes, 40);
  EXPECT_EQ(size.edges, graph.adjacency.nonzeros());
  EXPECT_EQ(size.graph.features, 3);
  EXPECT_FALSE(size.graph.sparse_features);
  EXPECT_EQ(size.graph.feature_bytes, 480);
  // Sections are not looked at, the header is.
  std::string bytes = test::read_text(dir / "g.creg");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(measure(dir.write("last.creg", bytes)).graph.nodes, 40);
  bytes[16] = static_cast<char>(bytes[16] ^ 1);
  test::expect_error([&] { measure(dir.write("first.creg", bytes)); },
                     {"first.creg", "checksum is wrong"});
}

TEST(DatasetSize, OfTextIsGuessedFromItsLength) {
  const test::TempDir dir;
  const DatasetSize edges = measure(dir.write("e.csv", ring(5000)));
  EXPECT_TRUE(edges.estimated);
  EXPECT_NEAR(static_cast<double>(edges.edges), 5000, 50);
  EXPECT_EQ(edges.graph.features, 0);
  std::string features = "id,x,y\n";
  for (int i = 0; i < 4000; ++i) features += std::to_string(10000 + i) + ",1.5,2.5\n";
  dir.write("x.csv", features);
  const DatasetSize keyed = measure(dir.write("d.toml", "edges = 'e.csv'\nfeatures = 'x.csv'\n"));
  EXPECT_TRUE(keyed.estimated);
  EXPECT_NEAR(static_cast<double>(keyed.graph.nodes), 4000, 40);
  EXPECT_EQ(keyed.graph.features, 2);
  EXPECT_EQ(keyed.dataset.raw.name, "d");
  write_npy(dir / "x.npy", DenseMatrix{.rows = 4, .cols = 2, .values = std::vector<float>(8, 1)});
  const DatasetSize array = measure(dir.write("a.toml", "edges = 'e.csv'\nfeatures = 'x.npy'\n"));
  EXPECT_EQ(array.graph.nodes, 4);
  EXPECT_EQ(array.graph.features, 2);
}

TEST(DatasetSize, OfFeaturesInAnArchiveIsInTheirHeaders) {
  const test::TempDir dir;
  dir.write("e.csv", ring(30));
  const auto size_with = [&](const std::string& bytes) {
    dir.write("x.npz", bytes);
    return measure(dir.write("d.toml", "edges = 'e.csv'\nfeatures = 'x.npz'\n")).graph;
  };
  const GraphSize sparse = size_with(test::scipy_npz(test::path_graph(40).adjacency, true));
  EXPECT_EQ(sparse.nodes, 40);
  EXPECT_EQ(sparse.features, 40);
  EXPECT_EQ(sparse.feature_entries, 78);
  EXPECT_TRUE(sparse.sparse_features);
  const GraphSize dense = size_with(test::build_zip(
      {{.name = "a.npy", .contents = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}))}}));
  EXPECT_EQ(dense.nodes, 2);
  EXPECT_EQ(dense.features, 3);
  EXPECT_EQ(dense.feature_entries, 6);
}

/// Flips a bit of the first place that has these bytes.
std::string damaged(std::string bytes, const std::string& where) {
  const std::size_t at = bytes.find(where);
  EXPECT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

TEST(DatasetSize, OfAnNpzIsInItsHeaders) {
  const test::TempDir dir;
  Graph graph = test::path_graph(40);
  std::vector<float> values(120);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5F;
  graph.features = DenseMatrix{.rows = 40, .cols = 3, .values = values};
  graph.labels = std::vector<std::int32_t>(40, 6);
  write_graph(Context(), dir / "dense.npz", graph, {});
  // A float of the features is wrong, and nobody looks.
  const std::string wrong = damaged(test::read_text(dir / "dense.npz"), raw<float>({7.5F, 8.5F}));
  const DatasetSize dense = measure(dir.write("d.npz", wrong));
  EXPECT_TRUE(dense.estimated);
  EXPECT_EQ(dense.dataset.format, "gnn-benchmark");
  EXPECT_EQ(dense.dataset.raw.name, "d");
  EXPECT_EQ(dense.edges, 78);
  expect_size(dense.graph,
              with_bytes({.nodes = 40,
                          .entries = 78,
                          .directed = true,
                          .features = 3,
                          .feature_entries = 120,
                          .classes = 7}),
              "dense");
  graph.features = test::path_graph(40).adjacency;
  write_graph(Context(), dir / "sparse.npz", graph, {});
  const GraphSize sparse = measure(dir / "sparse.npz").graph;
  EXPECT_EQ(sparse.features, 40);
  EXPECT_EQ(sparse.feature_entries, 78);
  EXPECT_TRUE(sparse.sparse_features);
  for (const bool deflate : {false, true}) {
    const DatasetSize matrix =
        measure(dir.write("m.npz", test::scipy_npz(test::path_graph(40).adjacency, deflate)));
    EXPECT_EQ(matrix.dataset.format, "scipy-sparse");
    EXPECT_EQ(matrix.graph.nodes, 40);
    EXPECT_EQ(matrix.graph.entries, 78);
    EXPECT_EQ(matrix.graph.features, 0);
  }
}

TEST(DatasetSize, BeyondMeasureIsRefused) {
  const test::TempDir dir;
  const std::string classes = npy("<i4", "(3,)", raw<std::int32_t>({1, 2, 3}));
  dir.write("reddit_graph.npz", test::scipy_npz(test::path_graph(3).adjacency));
  for (const char* shape :
       {"(9223372036854775807, 2)", "(2000000000, 2000000000)", "(2, 9223372036854775807)"}) {
    dir.write("reddit_data.npz",
              test::build_zip({{.name = "feature.npy", .contents = npy("<f4", shape, "")},
                               {.name = "label.npy", .contents = classes}}));
    test::expect_error([&] { measure(dir.path()); }, {dir.path().string(), "no graph is as large"});
  }
}

TEST(DatasetSize, OfRedditsFilesIsInTheirHeaders) {
  const test::TempDir dir;
  const std::string classes = npy("<i4", "(3,)", raw<std::int32_t>({1, 2, 3}));
  dir.write("reddit_data.npz",
            test::build_zip({{.name = "feature.npy",
                              .contents = npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})),
                              .deflate = true},
                             {.name = "label.npy", .contents = classes}}));
  test::expect_error([&] { measure(dir.path()); }, {"reddit_graph.npz", "missing"});
  dir.write("reddit_graph.npz", test::scipy_npz(test::path_graph(3).adjacency));
  const DatasetSize size = measure(dir.path());
  EXPECT_EQ(size.dataset.raw.name, "reddit");
  EXPECT_EQ(size.dataset.protocol, "public");
  EXPECT_EQ(size.edges, 2);
  expect_size(
      size.graph,
      with_bytes({.nodes = 3, .entries = 4, .features = 2, .feature_entries = 6, .classes = 4}),
      "reddit");
}

TEST(DatasetSize, OfOgbsFilesIsInItsCounts) {
  std::string numbers;
  for (int i = 0; i < 2000; ++i) numbers += std::to_string(i) + ",0.5,0.25\n";
  // Rows of features beyond the first are not looked at.
  const std::vector<std::pair<std::string, std::string>> files = {
      {"raw/num-node-list.csv.gz", "2000\n"},
      {"raw/num-edge-list.csv.gz", "7\n"},
      {"raw/edge.csv.gz", "0,1\n"},
      {"raw/node-feat.csv.gz", numbers + "no number"},
      {"split/time/train.csv.gz", "0\n"}};
  const test::TempDir dir;
  std::vector<test::ZipPart> parts;
  for (const auto& [name, text] : files) {
    dir.write("mine/" + name, test::gzip(text));
    parts.push_back({.name = "arxiv/" + name, .contents = test::gzip(text), .deflate = true});
  }
  dir.write("arxiv.zip", test::build_zip(parts));
  for (const auto& [path, name] : {std::pair{dir / "mine", "mine"}, {dir / "arxiv.zip", "arxiv"}}) {
    const DatasetSize size = measure(path);
    EXPECT_EQ(size.dataset.raw.name, name);
    EXPECT_EQ(size.dataset.protocol, "public");
    EXPECT_TRUE(size.estimated);
    EXPECT_EQ(size.edges, 7) << name;
    expect_size(size.graph,
                with_bytes({.nodes = 2000,
                            .entries = 7,
                            .directed = true,
                            .features = 3,
                            .feature_entries = 6000}),
                name);
  }
}

TEST(DatasetSize, OfWikisFilesIsGuessedFromTheirLength) {
  const test::TempDir dir;
  std::string graph;
  std::string group;
  std::string tfidf;
  for (int i = 1000; i < 6000; ++i) {
    const std::string node = std::to_string(i);
    graph += node + "\t" + node + "\n" + node + "\t1000\n";
    group += node + "\t5\n";
    tfidf += node + "\t" + std::to_string(100 + i % 30) + "\t0.5\n";
  }
  dir.write("graph.txt", graph);
  dir.write("group.txt", group);
  dir.write("tfidf.txt", tfidf);
  const DatasetSize size = measure(dir.path());
  EXPECT_EQ(size.dataset.raw.name, "wiki");
  EXPECT_EQ(size.graph.nodes, 5000);
  EXPECT_EQ(size.edges, 10000);
  EXPECT_EQ(size.graph.features, 130);
  EXPECT_EQ(size.graph.feature_entries, 5000);
  EXPECT_TRUE(size.estimated);
}

TEST(DatasetSize, OfWikiCsIsGuessedFromItsFirstRow) {
  const test::TempDir dir;
  std::string rows;
  std::string links;
  for (int i = 0; i < 500; ++i) {
    rows += (i == 0 ? "[" : ", [") + std::string("0.111111");
    for (int k = 1; k < 50; ++k) rows += ", 0.222222";
    rows += "]";
    links += i == 0 ? "[1]" : ", [0]";
  }
  const DatasetSize size =
      measure(dir.write("data.json", "{\"features\": [" + rows + "], \"links\": [" + links + "]}"));
  EXPECT_EQ(size.graph.features, 50);
  EXPECT_NEAR(static_cast<double>(size.graph.nodes), 500, 25);
  EXPECT_TRUE(size.estimated);
  EXPECT_TRUE(size.graph.directed);
}

/// Cora itself, made unknown by a bit of its labels.
TEST(DatasetSize, OfPlanetoidsFilesIsGuessedFromTheirSizes) {
  CREG_REQUIRE_REAL_DATA(data);
  for (const std::string name : {"cora", "citeseer"}) {
    const test::TempDir dir;
    for (const auto& file : std::filesystem::directory_iterator(data / name)) {
      std::string bytes = test::read_text(file.path());
      if (file.path().extension() == ".ally") {
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
      }
      dir.write(file.path().filename().string(), bytes);
    }
    const DatasetSize size = measure(dir.path());
    const GraphSize whole = size_of(prepare_graph(Context(), open_dataset(Context(), name, data)));
    EXPECT_EQ(size.dataset.entry, nullptr);
    EXPECT_EQ(size.dataset.raw.name, name);
    EXPECT_TRUE(size.estimated);
    EXPECT_EQ(size.graph.nodes, whole.nodes);
    EXPECT_EQ(size.graph.features, whole.features);
    EXPECT_EQ(size.graph.classes, whole.classes);
    const auto near = [&](std::int64_t found, std::int64_t wanted) {
      EXPECT_NEAR(static_cast<double>(found), static_cast<double>(wanted),
                  0.1 * static_cast<double>(wanted))
          << name;
    };
    near(size.graph.entries, whole.entries);
    near(size.graph.feature_entries, whole.feature_entries);
  }
}

TEST(DatasetSize, OfWhatIsNotThereIsAnError) {
  const test::TempDir dir;
  test::expect_error([&] { measure(dir / "not there"); }, {"not there", "no such file or folder"});
  test::expect_error([] { measure("corra"); }, {"corra", "cora"});
}

}  // namespace
}  // namespace creg::dataset_size_test
