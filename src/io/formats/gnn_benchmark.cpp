#include "io/formats/gnn_benchmark.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/formats/graph_arrays.h"
#include "io/formats/scipy_sparse.h"

namespace creg {
namespace {

CsrKeys keys_of(const std::string& part) {
  return {.offsets = part + "_indptr",
          .columns = part + "_indices",
          .values = part + "_data",
          .shape = part + "_shape"};
}

CsrMatrix read_csr(const Context& context, const NpzFile& file, const std::string& part) {
  const CsrKeys keys = keys_of(part);
  const NdArray values = file.read(keys.values);
  return sort_rows(context,
                   csr_from_arrays(matrix_shape(file.read(keys.shape)), file.read(keys.offsets),
                                   file.read(keys.columns), &values));
}

Features read_features(const Context& context, const NpzFile& file, std::int64_t nodes) {
  Features features;
  if (file.contains("attr_data")) {
    features = read_csr(context, file, "attr");
  } else if (const auto matrix = file.read_if_plain("attr_matrix")) {
    features = matrix->to_matrix();
  } else {
    return features;
  }
  if (feature_rows(features) != nodes) {
    fail_input({.what = "features do not match the nodes",
                .file = file.name(),
                .found = with_commas(feature_rows(features)) + " feature rows",
                .expected = with_commas(nodes) + ", one per node"});
  }
  return compact(std::move(features));
}

// An empty array would pass for an absent one later, so counts are checked here.
void check_count(const NdArray& array, const std::string& what, std::int64_t found,
                 std::int64_t nodes) {
  if (found == nodes) return;
  fail_input({.what = what + " do not match the nodes",
              .file = array.source(),
              .found = with_commas(found) + " " + what,
              .expected = with_commas(nodes) + ", one per node"});
}

void read_classes(const NpzFile& file, Graph& graph) {
  const auto labels = file.read_if_plain("labels");
  if (!labels) return;
  graph.labels = labels_from_array(*labels);
  check_count(*labels, "labels", graph.labels.size(), graph.nodes());
  const auto names = file.read_if_plain("class_names");
  if (!names) return;
  const std::int32_t used = graph.classes();
  graph.class_names = names->to_strings();
  if (used > static_cast<std::int64_t>(graph.class_names.size())) {
    fail_input({.what = "a label without a class name",
                .file = names->source(),
                .found = fmt::format("{} names", graph.class_names.size()),
                .expected = fmt::format("at least {}, for labels up to {}", used, used - 1)});
  }
}

}  // namespace

Graph read_gnn_benchmark(const Context& context, const Bytes& bytes) {
  const NpzFile file(bytes);
  Graph graph;
  graph.name = std::filesystem::path(file.name()).stem().string();
  graph.directed = true;
  graph.adjacency = read_csr(context, file, "adj");
  graph.features = read_features(context, file, graph.nodes());
  read_classes(file, graph);
  if (const auto names = file.read_if_plain("node_names")) {
    names->require_dimensions(1);
    graph.names = NodeNames(names->to_strings());
    check_count(*names, "names", names->size(), graph.nodes());
  }
  validate(graph, file.name());
  return graph;
}

void write_gnn_benchmark(const std::filesystem::path& path, const Graph& graph) {
  NpzWriter writer(path);
  add_csr(writer, graph.adjacency, keys_of("adj"));
  if (const auto* sparse = std::get_if<CsrMatrix>(&graph.features)) {
    add_csr(writer, *sparse, keys_of("attr"));
  } else if (const auto* dense = std::get_if<DenseMatrix>(&graph.features)) {
    const std::array shape = {dense->rows, dense->cols};
    writer.add<float>("attr_matrix", dense->values.span(), shape);
  }
  if (graph.has_labels()) {
    const std::vector<std::int64_t> labels(graph.labels.begin(), graph.labels.end());
    writer.add<std::int64_t>("labels", labels);
  }
  if (!graph.class_names.empty()) writer.add_strings("class_names", graph.class_names);
  if (!graph.names.empty()) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(graph.nodes()));
    for (std::int64_t i = 0; i < graph.nodes(); ++i) names.emplace_back(graph.names[i]);
    writer.add_strings("node_names", names);
  }
  writer.commit();
}

}  // namespace creg
