#include "io/split_file.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 1});
  static const Graph plain = [] {
    constexpr std::int64_t nodes = 30;
    Graph graph;
    graph.adjacency = {.rows = nodes,
                       .cols = nodes,
                       .offsets = std::vector<std::int64_t>(nodes + 1, 0),
                       .columns = {},
                       .values = {}};
    return graph;
  }();
  static const Graph named = [] {
    Graph graph = plain;
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < graph.nodes(); ++i) {
      names.push_back(std::string(static_cast<std::size_t>(i % 4), 'n') + std::to_string(i));
    }
    graph.names = NodeNames(names);
    return graph;
  }();
  for (const Graph* graph : {&plain, &named}) {
    fuzz::try_read(data, size, [&](const Bytes& bytes) {
      Graph whole = *graph;
      whole.splits.push_back(read_split_file(context, bytes, whole).split);
      validate(whole, "input");
    });
  }
  return 0;
}
