#include "io/formats/formats.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "creg/io/dataset.h"
#include "io/dataset_size.h"
#include "io/formats/detect.h"
#include "io/formats/gnn_benchmark.h"
#include "support/compress.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/planetoid_sample.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::formats_test {
namespace {

using std::filesystem::path;
using test::npy;
using test::raw;
using test::TempDir;

path planetoid(const TempDir& dir) {
  for (const auto& [part, contents] : test::planetoid_sample()) {
    dir.write("ind.tiny." + part, contents);
  }
  return dir.path();
}

path wiki(const TempDir& dir) {
  dir.write("graph.txt", "0\t1\n");
  dir.write("group.txt", "0\t5\n1\t3\n2\t5\n");
  dir.write("tfidf.txt", "0\t1\t2.5\n");
  return dir.path();
}

path ogb(const TempDir& dir) {
  dir.write("raw/num-node-list.csv.gz", test::gzip("3\n"));
  dir.write("raw/edge.csv.gz", test::gzip("0,1\n"));
  return dir.path();
}

path reddit(const TempDir& dir) {
  const std::string classes = npy("<i4", "(3,)", raw<std::int32_t>({1, 2, 3}));
  dir.write("reddit_data.npz",
            test::build_zip(
                {{.name = "feature.npy", .contents = npy("<f4", "(3, 1)", raw<float>({1, 2, 3}))},
                 {.name = "label.npy", .contents = classes},
                 {.name = "node_types.npy", .contents = classes}}));
  dir.write("reddit_graph.npz", test::scipy_npz(test::path_graph(3).adjacency));
  return dir.path();
}

// A graph of three nodes in every form, six in Planetoid's; a new form has its own here.
const std::map<std::string, std::function<path(const TempDir&)>, std::less<>> samples = {
    {"creg",
     [](const TempDir& dir) {
       write_creg(Context(), dir / "file", test::path_graph(3), {});
       return dir / "file";
     }},
    {"planetoid", planetoid},
    {"gnn-benchmark",
     [](const TempDir& dir) {
       write_gnn_benchmark(dir / "file", test::path_graph(3));
       return dir / "file";
     }},
    {"scipy-sparse",
     [](const TempDir& dir) {
       return dir.write("file", test::scipy_npz(test::path_graph(3).adjacency));
     }},
    {"wiki", wiki},
    {"ogb", ogb},
    {"reddit", reddit},
    {"wikics",
     [](const TempDir& dir) {
       return dir.write("file", R"({"features": [[1], [2], [3]], "labels": [0, 1, 0],
                                    "links": [[1], [], [0]]})");
     }},
    {"toml",
     [](const TempDir& dir) {
       dir.write("edges.csv", "0,1\n1,2\n");
       return dir.write("file", "edges = 'edges.csv'\n");
     }},
    {"edge-list", [](const TempDir& dir) { return dir.write("file", "0 1\n1 2\n"); }},
};

TEST(GraphFormats, EachIsRecognisedAndRead) {
  for (const GraphFormat& format : graph_formats()) {
    SCOPED_TRACE(format.name);
    const auto sample = samples.find(format.name);
    ASSERT_NE(sample, samples.end()) << "no sample of this format";
    const TempDir dir;
    const path place = sample->second(dir);
    EXPECT_EQ(detect_path(place).format->name, format.name);
    const Dataset dataset = open_dataset(Context(), place.string(), "");
    EXPECT_EQ(dataset.format, format.name);
    EXPECT_EQ(dataset.raw.nodes(), format.name == "planetoid" ? 6 : 3);
    const DatasetSize size = dataset_size(Context(), place.string(), "");
    EXPECT_EQ(size.dataset.format, format.name);
    EXPECT_EQ(size.dataset.raw.name, dataset.raw.name);
    EXPECT_EQ(size.graph.directed, dataset.raw.directed);
    EXPECT_EQ(size.graph.features, feature_cols(dataset.raw.features));
    EXPECT_EQ(size.estimated, format.name != "creg");
  }
  EXPECT_EQ(samples.size(), graph_formats().size());
}

TEST(GraphFormats, NamesAndEndingsDiffer) {
  std::set<std::string_view> names;
  std::set<std::string_view> endings;
  for (const GraphFormat& format : graph_formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    if (format.writer.write == nullptr) continue;
    EXPECT_TRUE(endings.insert(format.writer.ending).second) << format.writer.ending;
  }
}

TEST(GraphFormats, MessagesNameAllOfThem) {
  EXPECT_EQ(known_forms(),
            "a .creg file, an edge list (CSV, TSV or spaces, also gzip), a TOML file that names "
            "your files, an npz in gnn-benchmark or scipy-sparse form, WikiCS data.json, an OGB "
            "zip, or a folder of Planetoid, TADW Wiki, OGB, Reddit or WikiCS files");
}

}  // namespace
}  // namespace creg::formats_test
