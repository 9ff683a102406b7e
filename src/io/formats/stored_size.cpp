#include "io/formats/stored_size.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "io/containers/inflate.h"
#include "io/containers/npz.h"
#include "io/containers/pickle.h"
#include "io/containers/pickle_numpy.h"
#include "io/creg_file.h"
#include "io/formats/graph_arrays.h"
#include "io/formats/node_table.h"
#include "io/formats/ogb.h"
#include "io/formats/planetoid.h"
#include "io/formats/read_user_dataset.h"
#include "io/formats/reddit.h"
#include "io/formats/scipy_sparse.h"
#include "io/npy.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

std::int64_t length_of(const NpzFile& file, std::string_view key) {
  const std::vector<std::int64_t> shape = file.shape(key);
  return shape.empty() ? 1 : shape.front();
}

/// Of a matrix by SciPy, in any of its forms.
std::int64_t stored_entries(const NpzFile& file) {
  return length_of(file, file.contains("indices") ? "indices" : "row");
}

std::int64_t classes_of(const NpzFile& file, std::string_view key) {
  const std::optional<NdArray> array = file.read_if_plain(key);
  if (!array) return 0;
  const Array<std::int32_t> labels = labels_from_array(*array);
  return labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
}

/// A matrix by SciPy, or the only array.
void measure_npz_features(const NpzFile& file, GraphSize& size) {
  if (is_scipy_sparse(file)) {
    const MatrixShape shape = matrix_shape(file.read("shape"));
    size.nodes = shape.rows;
    size.features = shape.cols;
    size.feature_entries = stored_entries(file);
    size.sparse_features = true;
  } else if (!file.keys().empty()) {
    const std::vector<std::int64_t> shape = file.shape(file.keys().front());
    size.nodes = shape.empty() ? 1 : shape[0];
    size.features = shape.size() == 2 ? shape[1] : 1;
  }
}

/// A file in pickle's second protocol holds an array as its bytes, after some words.
constexpr std::int64_t pickle_words = 135;

std::int64_t pickled_numbers(const Bytes& file) {
  return std::max<std::int64_t>(file.size() - pickle_words, 0) / 4;
}

/// The number of the last line that has the largest one, plus one.
std::int64_t nodes_of_index(const Bytes& file) {
  std::string_view rest = file.text();
  std::int64_t largest = -1;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::int64_t id = -1;
    std::from_chars(rest.data(), rest.data() + end, id);
    largest = std::max(largest, id);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return largest + 1;
}

/// The first list inside a list that follows this key in a JSON text, brackets and all.
std::string_view first_row(std::string_view text, std::string_view key) {
  const std::size_t at = text.find("\"" + std::string(key) + "\"");
  if (at == std::string_view::npos) return {};
  const std::size_t outer = text.find('[', at);
  if (outer == std::string_view::npos) return {};
  const std::size_t begin = text.find('[', outer + 1);
  const std::size_t end = text.find(']', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return text.substr(begin, end + 1 - begin);
}

}  // namespace

GraphSize undirected_size(std::int64_t nodes, std::int64_t edges, std::int64_t features) {
  return {.nodes = nodes, .entries = 2 * edges, .features = features};
}

TextSize size_of_text(const Bytes& bytes) {
  constexpr std::size_t looked_at = 1000;
  constexpr std::int64_t expansion = 4;  // of text that gzip has packed
  const TextHead head = read_head(bytes, looked_at);
  if (head.rows.empty()) return {};
  const std::int64_t seen = head.rows.back().end - head.rows.front().begin;
  const auto rows = static_cast<std::int64_t>(head.rows.size());
  const std::string& last = head.rows.back().text;
  const auto fields = static_cast<std::int64_t>(split_row(last, detect_separator(last)).size());
  if (head.rows.size() < looked_at) return {.rows = rows, .fields = fields};
  const std::int64_t text = bytes.size() * (is_gzip(bytes) ? expansion : 1);
  return {.rows = std::max(rows, text * rows / std::max<std::int64_t>(seen, 1)), .fields = fields};
}

StoredSize measure_creg(const Context& context, const fs::path& path) {
  CregSize stored = read_creg_size(context, map_file(path));
  StoredSize out{.name = std::move(stored.name),
                 .graph = stored.graph,
                 .edges = stored.graph.entries,
                 .exact = true};
  // Edges may be stored in one direction.
  if (!stored.graph.directed) out.graph.entries *= 2;
  return out;
}

StoredSize measure_gnn_benchmark(const Context& /*context*/, const fs::path& path) {
  const NpzFile file(map_file(path));
  GraphSize size{.nodes = matrix_shape(file.read("adj_shape")).rows,
                 .entries = length_of(file, "adj_indices"),
                 .directed = true,
                 .classes = classes_of(file, "labels")};
  if (file.contains("attr_data")) {
    size.features = matrix_shape(file.read("attr_shape")).cols;
    size.feature_entries = length_of(file, "attr_data");
    size.sparse_features = true;
  } else if (file.contains("attr_matrix")) {
    const std::vector<std::int64_t> shape = file.shape("attr_matrix");
    size.features = shape.size() == 2 ? shape[1] : 1;
  }
  return {.name = path.stem().string(), .graph = size, .edges = size.entries};
}

StoredSize measure_scipy_sparse(const Context& /*context*/, const fs::path& path) {
  const NpzFile file(map_file(path));
  const GraphSize size{.nodes = matrix_shape(file.read("shape")).rows,
                       .entries = stored_entries(file),
                       .directed = true};
  return {.name = path.stem().string(), .graph = size, .edges = size.entries};
}

StoredSize measure_planetoid(const Context& /*context*/, const fs::path& folder) {
  std::string name = only_planetoid(folder);
  const PlanetoidFiles files = open_planetoid(folder, name);
  const std::int64_t nodes = std::max<std::int64_t>(nodes_of_index(files.test_index), 1);
  // A pickled neighbour takes 3 bytes up to 65,535, else 5; a list with its node about 10.
  constexpr std::int64_t of_list = 10;
  const std::int64_t of_number = nodes <= 65536 ? 3 : 5;
  GraphSize size{
      .nodes = nodes,
      .entries = std::max<std::int64_t>(files.graph.size() - of_list * nodes, 0) / of_number};
  // Of the smallest file of features the columns; of the others a column and a value per entry.
  size.features = csr_from_pickle(Pickle(files.x)).cols;
  size.feature_entries = std::max<std::int64_t>(
      (pickled_numbers(files.allx) + pickled_numbers(files.tx) - nodes) / 2, 0);
  size.sparse_features = true;
  const std::int64_t tested = std::max<std::int64_t>(size_of_text(files.test_index).rows, 1);
  size.classes = pickled_numbers(files.ty) / tested;
  return {.name = std::move(name), .graph = size, .edges = size.entries / 2, .splits = true};
}

StoredSize measure_wiki(const Context& /*context*/, const fs::path& folder) {
  constexpr std::size_t looked_at = 100000;
  const Bytes tfidf = map_file(folder / "tfidf.txt");
  GraphSize size{.nodes = size_of_text(map_file(folder / "group.txt")).rows,
                 .entries = size_of_text(map_file(folder / "graph.txt")).rows,
                 .directed = true,
                 .feature_entries = size_of_text(tfidf).rows,
                 .sparse_features = true};
  for (const TextHead::Row& row : read_head(tfidf, looked_at).rows) {
    const std::vector<std::string> fields = split_row(row.text, Separator::space);
    std::int64_t column = -1;
    if (fields.size() > 1) {
      std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), column);
    }
    size.features = std::max(size.features, column + 1);
  }
  return {.name = "wiki", .graph = size, .edges = size.entries};
}

StoredSize measure_ogb(const Context& context, const fs::path& folder_or_zip) {
  const OgbCounts counts = read_ogb_counts(context, FileSet::open(folder_or_zip));
  const GraphSize size{.nodes = counts.nodes,
                       .entries = counts.edges,
                       .directed = true,
                       .features = counts.features};
  return {.name = counts.name, .graph = size, .edges = counts.edges, .splits = counts.splits};
}

StoredSize measure_reddit(const Context& /*context*/, const fs::path& folder) {
  const auto [data, graph] = open_reddit(folder);
  const NpzFile arrays(data);
  const std::vector<std::int64_t> shape = arrays.shape("feature");
  const GraphSize size{.nodes = shape.empty() ? 0 : shape[0],
                       .entries = stored_entries(NpzFile(graph)),
                       .features = shape.size() == 2 ? shape[1] : 0,
                       .classes = classes_of(arrays, "label")};
  return {.name = "reddit", .graph = size, .edges = size.entries / 2, .splits = true};
}

StoredSize measure_wikics(const Context& /*context*/, const fs::path& path) {
  const Bytes file = map_file(path);
  constexpr std::size_t looked_at = std::size_t{1} << 20;
  const std::string_view row = first_row(file.text().substr(0, looked_at), "features");
  GraphSize size{.nodes = 1, .directed = true};
  // Nearly all of such a file are its features.
  if (!row.empty()) {
    size.features = std::count(row.begin(), row.end(), ',') + 1;
    size.nodes = std::max<std::int64_t>(file.size() / static_cast<std::int64_t>(row.size()), 1);
  }
  // The mean of WikiCS itself.
  constexpr std::int64_t links_per_node = 25;
  size.entries = links_per_node * size.nodes;
  return {.name = "wikics", .graph = size, .edges = size.entries, .splits = true};
}

StoredSize measure_toml(const Context& /*context*/, const fs::path& path) {
  return measure_user_dataset(parse_user_dataset(map_file(path), path.parent_path()));
}

StoredSize measure_edge_list(const Context& /*context*/, const fs::path& path) {
  return measure_user_dataset({.name = path.stem().string(), .edges = path});
}

StoredSize measure_user_dataset(const UserDatasetSpec& spec) {
  StoredSize out{.name = spec.name,
                 .graph = {},
                 .edges = size_of_text(map_file(spec.edges)).rows,
                 .transforms = spec.transforms,
                 .splits = !spec.splits.empty()};
  // Without a better source: a mean degree of 4.
  GraphSize size = undirected_size(std::max<std::int64_t>(out.edges / 2, 1), out.edges, 0);
  size.directed = spec.directed;
  if (size.directed) size.entries = out.edges;
  if (!spec.labels.empty()) {
    const Bytes labels = map_file(spec.labels);
    if (!is_array_file(labels)) size.nodes = size_of_text(labels).rows;
  }
  if (spec.nodes) size.nodes = *spec.nodes;
  if (!spec.features.empty()) {
    const Bytes features = map_file(spec.features);
    if (is_npy(features)) {
      const NdArray array = read_npy(features);
      array.require_dimensions(2);
      size.nodes = array.shape()[0];
      size.features = array.shape()[1];
    } else if (is_array_file(features)) {
      measure_npz_features(NpzFile(features), size);
    } else {
      const TextSize text = size_of_text(features);
      size.nodes = text.rows;
      size.features = std::max<std::int64_t>(text.fields - 1, 0);
    }
  }
  out.graph = size;
  return out;
}

}  // namespace creg
