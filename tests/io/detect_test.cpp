#include "io/formats/detect.h"

#include <gtest/gtest.h>

#include "io/containers/zip.h"
#include "io/creg_file.h"
#include "io/formats/gnn_benchmark.h"
#include "io/npy.h"
#include "support/compress.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"

namespace creg::detect_test {
namespace {

TEST(DetectPath, FilesByTheirContentWhateverTheirName) {
  const test::TempDir dir;
  const auto format = [&](const std::string& contents) {
    return detect_path(dir.write("file.bin", contents)).format->name;
  };
  EXPECT_EQ(format("0 1\n1 2\n"), "edge-list");
  EXPECT_EQ(format("source,target\na,b\n"), "edge-list");
  EXPECT_EQ(format(test::gzip("0,1\n")), "edge-list");
  EXPECT_EQ(format("edges,of,a,graph\n"), "edge-list");
  EXPECT_EQ(format("# mine\nname = 'x'\nedges = 'e.csv'\n"), "toml");
  EXPECT_EQ(format("  {\"features\": []}"), "wikics");
}

TEST(DetectPath, BinaryFilesByTheirFirstBytesOrMembers) {
  const test::TempDir dir;
  const Graph graph = test::path_graph(3);
  write_creg(Context(), dir / "a", graph, {});
  EXPECT_EQ(detect_path(dir / "a").format->name, "creg");
  write_gnn_benchmark(dir / "b", graph);
  EXPECT_EQ(detect_path(dir / "b").format->name, "gnn-benchmark");
  dir.write("c", test::scipy_npz(graph.adjacency));
  EXPECT_EQ(detect_path(dir / "c").format->name, "scipy-sparse");
  ZipWriter ogb(dir / "d");
  ogb.add("arxiv/raw/edge.csv.gz", std::string_view("x"));
  ogb.commit();
  EXPECT_EQ(detect_path(dir / "d").format->name, "ogb");
}

TEST(DetectPath, FoldersByWhatIsInThem) {
  const test::TempDir dir;
  const auto format = [&](const std::string& folder, const std::vector<std::string>& files) {
    for (const std::string& file : files) dir.write(folder + "/" + file, "x");
    return detect_path(dir / folder).format->name;
  };
  EXPECT_EQ(format("p", {"ind.cora.x", "ind.cora.graph"}), "planetoid");
  EXPECT_EQ(format("t", {"graph.txt", "group.txt", "tfidf.txt"}), "wiki");
  EXPECT_EQ(format("o", {"raw/edge.csv.gz", "raw/node-feat.csv.gz"}), "ogb");
  EXPECT_EQ(format("r", {"reddit_data.npz", "reddit_graph.npz"}), "reddit");
  EXPECT_EQ(format("w", {"data.json", "metadata.json"}), "wikics");
  // One Planetoid file stands for its folder, a lone file for itself.
  EXPECT_EQ(detect_path(dir / "p" / "ind.cora.x").path, dir / "p");
  dir.write("lone/edges.txt", "0 1\n");
  EXPECT_EQ(detect_path(dir / "lone").path, dir / "lone" / "edges.txt");
}

TEST(DetectPath, SaysWhatItLookedFor) {
  const test::TempDir dir;
  test::expect_error([&] { detect_path(dir / "none"); }, {"none", "no such file or folder"});
  test::expect_error([&] { detect_path(dir.write("e", " \n")); }, {"the file is empty"});
  test::expect_error([&] { detect_path(dir.write("b", std::string("\x01\x02\x00", 3))); },
                     {"found binary data", ".creg file", "edge list"});
  write_npy(dir / "m.npy", DenseMatrix{.rows = 1, .cols = 1, .values = std::vector<float>{1}});
  test::expect_error([&] { detect_path(dir / "m.npy"); }, {"a matrix, not a graph", "--features"});
  dir.write("f/a.txt", "x");
  dir.write("f/b.txt", "x");
  test::expect_error([&] { detect_path(dir / "f"); }, {"a folder with 2 other files"});
  ZipWriter zip(dir / "z.zip");
  zip.add("readme.txt", std::string_view("x"));
  zip.commit();
  test::expect_error([&] { detect_path(dir / "z.zip"); }, {"an archive of 'readme.txt'"});
}

}  // namespace
}  // namespace creg::detect_test
