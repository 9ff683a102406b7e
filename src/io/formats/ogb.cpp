#include "io/formats/ogb.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "io/formats/edge_list.h"
#include "io/formats/empty_files.h"
#include "io/formats/number_rows.h"
#include "io/formats/stored_size.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

const std::string node_count_file = "raw/num-node-list.csv.gz";
const std::string edge_count_file = "raw/num-edge-list.csv.gz";
const std::string edge_file = "raw/edge.csv.gz";
const std::string feature_file = "raw/node-feat.csv.gz";
const std::string label_file = "raw/node-label.csv.gz";

constexpr std::int64_t most_edges = std::int64_t{1} << 48;

// Where OGB's files begin: "" at the top, else the folder; nothing when they are not there.
std::optional<std::string> find_root(const FileSet& files) {
  if (files.contains(edge_file)) return "";
  for (const std::string& file : files.files()) {
    const std::size_t slash = file.find('/');
    if (slash != std::string::npos && file.substr(slash + 1) == edge_file) {
      return file.substr(0, slash);
    }
  }
  return std::nullopt;
}

std::string name_of(const FileSet& files, const std::string& root) {
  return root.empty() ? std::filesystem::path(files.name()).stem().string() : root;
}

// The single number of a file.
std::int64_t read_count(const Context& context, const Bytes& bytes, std::int64_t largest) {
  const TextHead head = read_head(bytes, 2);
  if (head.rows.size() != 1) {
    fail_input({.what = "a list of counts must be of one graph",
                .file = bytes.name,
                .found = head.rows.empty() ? "no rows" : "several rows",
                .expected = "one number"});
  }
  const std::optional<std::int64_t> count = parse_plain_integer(head.rows[0].text, largest);
  if (!count) {
    fail_input({.what = "not a count",
                .file = bytes.name,
                .place = "line 1",
                .found = in_quotes(head.rows[0].text),
                .expected = "0 to " + with_commas(largest)});
  }
  context.throw_if_stopped();
  return *count;
}

// The most bytes of text that a file can hold: deflate expands 1032 times at most.
std::int64_t most_text(const Bytes& bytes) {
  constexpr std::int64_t largest_expansion = 1040;
  return is_gzip(bytes) ? bytes.size() * largest_expansion : bytes.size();
}

// A declared count must be one that the file can hold, before memory is set aside for it.
void check_backed(const Bytes& bytes, std::int64_t rows, std::int64_t bytes_per_row,
                  const std::string& what) {
  if (rows <= most_text(bytes) / bytes_per_row + 1) return;
  fail_input({.what = "the file is too small for so many " + what,
              .file = bytes.name,
              .found = human_bytes(bytes.size()),
              .expected = with_commas(rows) + " rows"});
}

DenseMatrix read_features(const Context& context, const Bytes& bytes, std::int64_t nodes) {
  const TextHead head = read_head(bytes, 1);
  NumberRowsOptions options{.separator = Separator::comma, .rows = nodes};
  if (!head.rows.empty()) {
    options.columns =
        static_cast<std::int64_t>(split_row(head.rows[0].text, Separator::comma).size());
    options.skip = head.rows[0].begin;
  }
  check_backed(bytes, nodes, 2 * std::max<std::int64_t>(options.columns, 1), "nodes");
  return read_number_rows(context, bytes, options);
}

Array<std::int32_t> read_labels(const Context& context, const Bytes& bytes, std::int64_t nodes) {
  Array<std::int32_t> labels = read_integer_column(context, bytes, max_nodes - 1, true, "a class");
  if (labels.size() != nodes) {
    fail_input({.what = "labels do not match the nodes",
                .file = bytes.name,
                .found = with_commas(labels.size()) + " rows",
                .expected = with_commas(nodes)});
  }
  return labels;
}

Array<std::int32_t> read_part(const Context& context, const Bytes& bytes, std::int64_t nodes) {
  const Array<std::int32_t> ids =
      read_integer_column(context, bytes, nodes - 1, false, "a node id");
  std::vector<std::int32_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<Split> read_splits(const Context& context, const FileSet& files, std::int64_t nodes) {
  const std::string prefix = "split/";
  const std::string suffix = "/train.csv.gz";
  std::vector<Split> splits;
  for (const std::string& file : files.files()) {
    if (!file.starts_with(prefix) || !file.ends_with(suffix) ||
        file.size() <= prefix.size() + suffix.size()) {
      continue;
    }
    const std::string folder = file.substr(0, file.size() - suffix.size());
    splits.push_back({.name = folder.substr(prefix.size()),
                      .train = read_part(context, files.read(file), nodes),
                      .val = read_part(context, files.read(folder + "/valid.csv.gz"), nodes),
                      .test = read_part(context, files.read(folder + "/test.csv.gz"), nodes)});
  }
  return splits;
}

EdgeList read_edges(const Context& context, const FileSet& files, std::int64_t nodes) {
  const Bytes bytes = files.read(edge_file);
  EdgeListOptions options{.separator = Separator::comma, .header = false};
  constexpr std::int64_t shortest_row = 4;  // "0,1\n"
  std::optional<std::int64_t> expected;
  if (files.contains(edge_count_file)) {
    expected = read_count(context, files.read(edge_count_file), most_edges);
    check_backed(bytes, *expected, shortest_row, "edges");
    options.expected_edges = *expected;
  }
  EdgeList edges = read_numbered_edges(context, bytes, options, nodes);
  if (expected && edges.edges() != *expected) {
    fail_input({.what = "the number of edges is not the declared one",
                .file = bytes.name,
                .found = with_commas(edges.edges()) + " rows",
                .expected = with_commas(*expected)});
  }
  return edges;
}

}  // namespace

OgbCounts read_ogb_counts(const Context& context, const FileSet& files) {
  const std::string root = find_root(files).value_or("");
  const FileSet set = root.empty() ? files : files.below(root);
  OgbCounts counts{.name = name_of(files, root),
                   .nodes = read_count(context, set.read(node_count_file), max_nodes)};
  counts.edges = set.contains(edge_count_file)
                     ? read_count(context, set.read(edge_count_file), most_edges)
                     : size_of_text(set.read(edge_file)).rows;
  if (set.contains(feature_file)) {
    constexpr std::int64_t packed_row = std::int64_t{1} << 20;
    const TextHead head = read_head(set.read_start(feature_file, packed_row), 1);
    if (!head.rows.empty()) {
      counts.features =
          static_cast<std::int64_t>(split_row(head.rows[0].text, Separator::comma).size());
    }
  }
  counts.splits = std::any_of(set.files().begin(), set.files().end(),
                              [](const std::string& file) { return file.starts_with("split/"); });
  return counts;
}

Graph read_ogb(const Context& context, const FileSet& files, const ReadOptions& reading) {
  const std::string root = find_root(files).value_or("");
  const FileSet set = root.empty() ? files : files.below(root);
  Graph graph;
  graph.name = name_of(files, root);
  graph.directed = true;
  const std::int64_t nodes = read_count(context, set.read(node_count_file), max_nodes);
  if (nodes == 0) fail_input({.what = "the graph has no nodes", .file = set.name()});

  // Features and labels first: they show whether there are so many nodes at all.
  if (set.contains(feature_file)) {
    graph.features = compact(read_features(context, set.read(feature_file), nodes));
    refuse_empty(reading, feature_cols(graph.features), "features", set.read(feature_file).name);
  }
  if (set.contains(label_file)) {
    graph.labels = read_labels(context, set.read(label_file), nodes);
    refuse_empty(reading, labelled_nodes(graph.labels), "labels", set.read(label_file).name);
  }
  if (!has_features(graph.features) && graph.labels.empty()) {
    check_backed(set.read(edge_file), nodes, 1, "nodes");
  }
  graph.adjacency = edges_to_csr(context, read_edges(context, set, nodes));
  refuse_empty(reading, graph.adjacency.nonzeros(), "edges", set.read(edge_file).name);
  graph.splits = read_splits(context, set, nodes);
  validate(graph, set.name());
  return graph;
}

Graph read_ogb(const Context& context, const std::filesystem::path& folder_or_zip,
               const ReadOptions& reading) {
  return read_ogb(context, FileSet::open(folder_or_zip), reading);
}

}  // namespace creg
