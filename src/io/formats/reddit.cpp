#include "io/formats/reddit.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/containers/npz.h"
#include "io/formats/graph_arrays.h"
#include "io/formats/scipy_sparse.h"

namespace creg {
namespace {

constexpr const char* data_name = "reddit_data.npz";
constexpr const char* graph_name = "reddit_graph.npz";

void check_length(const NdArray& array, std::int64_t found, std::int64_t nodes) {
  if (found == nodes) return;
  fail_input({.what = "the array does not match the nodes",
              .file = array.source(),
              .found = with_commas(found),
              .expected = with_commas(nodes) + ", one per row of feature"});
}

Split read_split(const NdArray& types, std::int64_t nodes) {
  types.require_dimensions(1);
  check_length(types, types.size(), nodes);
  const Array<std::int32_t> kinds = types.to_int32();
  std::array<std::vector<std::int32_t>, 3> members;
  for (std::int64_t i = 0; i < nodes; ++i) {
    if (kinds[i] < 1 || kinds[i] > 3) {
      fail_input({.what = "an unknown part of the split",
                  .file = types.source(),
                  .place = fmt::format("element {}", i),
                  .found = std::to_string(kinds[i]),
                  .expected = "1 (train), 2 (validation) or 3 (test)"});
    }
    members[static_cast<std::size_t>(kinds[i] - 1)].push_back(static_cast<std::int32_t>(i));
  }
  return {.name = "public",
          .train = std::move(members[0]),
          .val = std::move(members[1]),
          .test = std::move(members[2])};
}

NodeNames read_names(const NdArray& ids, std::int64_t nodes) {
  ids.require_dimensions(1);
  check_length(ids, ids.size(), nodes);
  std::vector<std::string> names = ids.to_strings();
  for (std::int64_t i = 0; i < nodes; ++i) {
    if (names[static_cast<std::size_t>(i)] != std::to_string(i)) return NodeNames(names);
  }
  return {};
}

}  // namespace

Graph read_reddit(const Context& context, const Bytes& data, const Bytes& graph_file) {
  const NpzFile arrays(data);
  Graph graph;
  graph.name = "reddit";
  const NdArray feature = arrays.read("feature");
  feature.require_dimensions(2);
  DenseMatrix features = feature.to_matrix();
  const std::int64_t nodes = features.rows;
  const NdArray label = arrays.read("label");
  graph.labels = labels_from_array(label);
  check_length(label, graph.labels.size(), nodes);
  graph.splits.push_back(read_split(arrays.read("node_types"), nodes));
  if (const auto ids = arrays.read_if_plain("node_ids")) graph.names = read_names(*ids, nodes);

  // The shape first: it decides how much memory the matrix takes.
  const NpzFile matrix(graph_file);
  const NdArray shape_array = matrix.read("shape");
  const MatrixShape shape = matrix_shape(shape_array);
  if (shape.rows != nodes || shape.cols != nodes) {
    fail_input({.what = "the graph does not match the nodes",
                .file = shape_array.source(),
                .found = fmt::format("{} x {}", shape.rows, shape.cols),
                .expected = fmt::format("{} x {}, as in {}", nodes, nodes, data.name)});
  }
  graph.adjacency = sort_rows(context, read_scipy_sparse(context, matrix));
  graph.features = compact(std::move(features));
  validate(graph, graph_file.name);
  return graph;
}

RedditFiles open_reddit(const std::filesystem::path& folder) {
  for (const char* name : {data_name, graph_name}) {
    if (is_there(folder / name)) continue;
    fail_input({.what = "a file of this dataset is missing",
                .file = (folder / name).string(),
                .hint = "it comes in https://data.dgl.ai/dataset/reddit.zip: put it there, "
                        "or run `creg data get reddit`"});
  }
  return {.data = map_file(folder / data_name), .graph = map_file(folder / graph_name)};
}

Graph read_reddit(const Context& context, const std::filesystem::path& folder) {
  const RedditFiles files = open_reddit(folder);
  return read_reddit(context, files.data, files.graph);
}

}  // namespace creg
