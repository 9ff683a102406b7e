#include "io/write_graph.h"

#include <gtest/gtest.h>

#include "io/formats/formats.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace creg::write_graph_test {
namespace {

TEST(WriteGraph, EveryFormThatIsWrittenIsReadBack) {
  const test::TempDir dir;
  const Graph graph = test::path_graph(4);
  for (const GraphFormat& format : graph_formats()) {
    if (format.writer.write == nullptr) continue;
    SCOPED_TRACE(format.name);
    const auto path = dir / ("graph" + std::string(format.writer.ending));
    check_graph_ending(path);
    write_graph(Context(), path, graph, {.source = "here", .transforms = {}, .writer = {}});
    const Graph again = format.read(Context(), path, {}).graph;
    EXPECT_EQ(test::entries(again.adjacency), test::entries(graph.adjacency));
  }
}

TEST(WriteGraph, AnotherEndingIsRefusedBeforeThereIsAGraph) {
  test::expect_error([] { check_graph_ending("out.foo"); },
                     {"out.foo", "unknown form of a graph file", "found '.foo'",
                      "expected .creg, or .npz in the gnn-benchmark form"});
  const test::TempDir dir;
  test::expect_error([&] { write_graph(Context(), dir / "out", test::path_graph(2), {}); },
                     {"unknown form of a graph file"});
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace
}  // namespace creg::write_graph_test
