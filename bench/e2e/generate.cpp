// Generates a synthetic graph: seconds, peak memory, and what came out.
//   bench_generate synthetic:products [THREADS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>

#include "core/text.h"
#include "creg/core/context.h"
#include "graph/generators.h"

namespace {

struct Shape {
  std::int64_t isolated = 0;
  std::int64_t largest_degree = 0;
  double homophily = 0;
};

Shape shape_of(const creg::Graph& graph) {
  Shape shape;
  std::int64_t same = 0;
  for (std::int64_t u = 0; u < graph.nodes(); ++u) {
    const auto row = graph.adjacency.row(u);
    if (row.empty()) ++shape.isolated;
    shape.largest_degree = std::max(shape.largest_degree, static_cast<std::int64_t>(row.size()));
    same += std::count_if(row.begin(), row.end(),
                          [&](std::int32_t v) { return graph.labels[u] == graph.labels[v]; });
  }
  shape.homophily = static_cast<double>(same) / static_cast<double>(graph.adjacency.nonzeros());
  return shape;
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "synthetic:products";
  const creg::Context context({.threads = argc > 2 ? std::atoi(argv[2]) : 0});
  const auto start = std::chrono::steady_clock::now();
  const creg::Graph graph = creg::generate(context, creg::parse_synthetic(name));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::int64_t peak = peak_bytes();
  const Shape shape = shape_of(graph);
  fmt::print(
      "{}: {} nodes, {} edges, {} features, {} nonzeros, {} classes\n"
      "  {:.2f} s on {} threads, peak {}\n"
      "  isolated {}, largest degree {} (mean {:.1f}), homophily {:.3f}\n",
      graph.name, creg::with_commas(graph.nodes()),
      creg::with_commas(graph.adjacency.nonzeros() / 2), creg::feature_cols(graph.features),
      creg::with_commas(creg::feature_nonzeros(graph.features)), graph.classes(), took.count(),
      context.threads(), creg::human_bytes(peak), shape.isolated,
      creg::with_commas(shape.largest_degree),
      static_cast<double>(graph.adjacency.nonzeros()) / static_cast<double>(graph.nodes()),
      shape.homophily);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
