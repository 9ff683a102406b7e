#include "io/edge_split_file.h"

#include "creg/core/error.h"
#include "fuzz_support.h"
#include "graph/build.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 1});
  static const Graph path = [] {
    constexpr std::int32_t nodes = 30;
    std::vector<std::int32_t> from;
    std::vector<std::int32_t> to;
    for (std::int32_t i = 0; i + 1 < nodes; ++i) {
      from.push_back(i);
      to.push_back(i + 1);
    }
    Graph graph;
    graph.name = "path";
    graph.adjacency = csr_from_entries(context, nodes, nodes, from, to);
    return graph;
  }();
  return fuzz::try_read(data, size, [&](const Bytes& bytes) {
    // What is taken is a split without leaks, whatever the bytes were.
    const EdgeSplitFile file = read_edge_split_file(context, bytes, path);
    try {
      const LeakCheck check = check_edge_split(context, file.split, "taken");
      invariant(check.training_edges + check.held_out_edges == path.nodes() - 1,
                "a split has all edges of its graph");
    } catch (const Error&) {
      throw Bug("a split that was read does not pass its own check");
    }
  });
}
