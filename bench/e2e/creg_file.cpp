// Generates a synthetic graph, makes it simple, saves it as .creg and loads it again.
//   bench_creg_file [synthetic:products]
#include <filesystem>
#include <string>

#include "graph/generators.h"
#include "graph/transforms.h"
#include "io/creg_file.h"
#include "measure.h"

int main(int argc, char** argv) {
  using namespace creg;
  const std::string name = argc > 1 ? argv[1] : "synthetic:products";
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "creg-bench-graph.creg";
  const Context context;
  std::int64_t entries = 0;
  {
    Graph graph;
    const double made =
        bench::seconds_of([&] { graph = generate(context, parse_synthetic(name)); });
    fmt::print("{}: generated in {:.1f} s, peak {:.2f} GiB\n", name, made, bench::peak_gib());
    const double simple = bench::seconds_of(
        [&] { graph = symmetrise(context, remove_duplicates(context, std::move(graph))); });
    fmt::print("symmetrised in {:.1f} s, peak {:.2f} GiB\n", simple, bench::peak_gib());
    const double written = bench::seconds_of([&] { write_creg(context, file, graph, {}); });
    fmt::print("written in {:.1f} s, {:.2f} GB, peak {:.2f} GiB\n", written,
               static_cast<double>(std::filesystem::file_size(file)) / 1e9, bench::peak_gib());
    entries = graph.adjacency.nonzeros();
  }
  for (int i = 0; i < 3; ++i) {
    Graph graph;
    const double read = bench::seconds_of([&] { graph = read_creg(context, map_file(file)); });
    fmt::print("loaded and checked in {:.2f} s, peak {:.2f} GiB\n", read, bench::peak_gib());
    if (graph.adjacency.nonzeros() != entries) fmt::print("but it is another graph\n");
  }
  std::filesystem::remove(file);
}
