// Graph operations at the size of ogbn-products: symmetrise, statistics, .creg out and in.
// Usage: bench_graph_scale [million undirected edges = 62] [million nodes = 2.449]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/random.h"
#include "graph/build.h"
#include "graph/normalise.h"
#include "graph/stats.h"
#include "graph/transforms.h"
#include "io/checksum.h"
#include "io/creg_file.h"

namespace {

using namespace creg;

std::string peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return human_bytes(std::int64_t{usage.ru_maxrss} * 1024);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Work>
auto timed(const std::string& what, Work work) {
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{:<24} {:>8.2f} s  (processors {:.2f} s)  peak {}\n", what, seconds.count(),
             cpu_seconds() - cpu, peak_memory());
  return result;
}

// Rows of about the same length with squared-uniform targets: a few nodes get most of the edges.
Graph random_graph(const Context& context, std::int32_t nodes, std::int64_t edges) {
  Buffer<std::int64_t> offsets(nodes + 1);
  for (std::int64_t u = 0; u <= nodes; ++u) {
    offsets[u] = static_cast<std::int64_t>(static_cast<double>(edges) * static_cast<double>(u) /
                                           static_cast<double>(nodes));
  }
  Buffer<std::int32_t> columns(edges);
  constexpr std::int64_t grain = 1 << 14;
  parallel_for(context, 0, nodes, grain, [&](std::int64_t first, std::int64_t last) {
    RandomStream random(context.seed(), Purpose::test, 0, static_cast<std::uint64_t>(first));
    for (std::int64_t e = offsets[first]; e < offsets[last]; ++e) {
      const double x = random.uniform_double();
      columns[e] = static_cast<std::int32_t>(x * x * nodes);
    }
  });
  Graph graph;
  graph.name = "random";
  graph.adjacency = {
      .rows = nodes, .cols = nodes, .offsets = std::move(offsets), .columns = std::move(columns)};
  graph.adjacency = sort_rows(context, graph.adjacency);
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  const double million_edges = argc > 1 ? std::atof(argv[1]) : 62;
  const double million_nodes = argc > 2 ? std::atof(argv[2]) : 2.449;
  const Context context;
  const auto nodes = static_cast<std::int32_t>(million_nodes * 1e6);
  Graph graph = timed("generate", [&] {
    return random_graph(context, nodes, static_cast<std::int64_t>(million_edges * 1e6));
  });
  graph = timed("simple graph", [&] { return simple_graph(context, std::move(graph)); });
  fmt::print("{} entries, {} each way\n", with_commas(graph.adjacency.nonzeros()),
             human_bytes(graph.adjacency.bytes()));
  timed("simple graph again", [&] { return simple_graph(context, graph).nodes(); });
  const GraphStats stats = timed("statistics", [&] { return graph_stats(context, graph); });
  fmt::print("{} edges, {} components\n", with_commas(stats.edges), with_commas(stats.components));
  constexpr std::int64_t columns = 100;
  Buffer<float> features(nodes * columns);
  std::fill(features.begin(), features.end(), 0.25F);
  graph.features = DenseMatrix{.rows = nodes, .cols = columns, .values = std::move(features)};
  const auto file = std::filesystem::temp_directory_path() / "creg-bench-graph-scale.creg";
  timed("write .creg", [&] {
    write_creg(context, file, graph, {.source = "bench"});
    return 0;
  });
  graph = {};
  const Bytes bytes = map_file(file);
  timed("crc32c, one thread", [&] { return crc32c(bytes.data); });
  timed("crc32c, all threads", [&] { return crc32c_parallel(context, bytes.data); });
  graph =
      timed("open .creg, " + human_bytes(bytes.size()), [&] { return read_creg(context, bytes); });
  std::filesystem::remove(file);
  timed("gcn normalised", [&] { return gcn_normalised(context, graph.adjacency).nonzeros(); });
  return 0;
}
