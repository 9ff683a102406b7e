#include "io/formats/edge_list.h"
#include "io/formats/read_user_dataset.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "io/formats/empty_files.h"
#include "io/formats/node_table.h"
#include "io/split_file.h"
#include "io/text/node_index.h"

namespace creg {
namespace {

constexpr std::int64_t table_grain = 1 << 12;

void check_count(const std::string& file, const std::string& what, std::int64_t found,
                 std::int64_t nodes) {
  if (found == nodes) return;
  fail_input({.what = what + " do not match the nodes",
              .file = file,
              .found = with_commas(found),
              .expected = with_commas(nodes) + ", one per node"});
}

class DatasetReader {
 public:
  DatasetReader(const Context& context, const UserDatasetSpec& spec,
                const std::function<Bytes(const std::filesystem::path&)>& open)
      : context_(context), spec_(spec), open_(open), edges_(open(spec.edges)) {
    if (!spec.labels.empty()) labels_ = open(spec.labels);
  }

  Graph run() {
    graph_.name = spec_.name;
    graph_.directed = spec_.directed;
    if (!spec_.features.empty() && by_features()) return std::move(graph_);
    if (spec_.nodes) {
      numbered(*spec_.nodes, edges_.name, "nodes");
    } else if (labels_ && is_array_file(*labels_)) {
      NodeLabels labels = read_array_labels(*labels_);
      const std::int64_t nodes = labels.labels.size();
      set_labels(std::move(labels));
      labels_.reset();
      numbered(nodes, edges_.name, "labels");
    } else if (labels_) {
      keyed_by_labels();
    } else {
      set_edges(read_edge_list(context_, edges_, spec_.edge_options));
    }
    return std::move(graph_);
  }

 private:
  // Ids are row numbers.
  void numbered(std::int64_t nodes, const std::string& file, const std::string& what) {
    if (spec_.nodes) check_count(file, what, nodes, *spec_.nodes);
    // The adjacency alone takes so much of every node, edges or not.
    constexpr std::int64_t bytes_per_node = 16;
    if (nodes > max_nodes || nodes > default_read_limit() / bytes_per_node) {
      fail_input({.what = "too many nodes",
                  .file = file,
                  .found = with_commas(nodes),
                  .expected = "at most " + with_commas(std::min(
                                               max_nodes, default_read_limit() / bytes_per_node))});
    }
    set_edges(read_numbered_edges(context_, edges_, spec_.edge_options, nodes));
    if (!labels_) return;
    if (is_array_file(*labels_)) {
      set_labels(read_array_labels(*labels_));
      check_count(labels_->name, "labels", graph_.labels.size(), nodes);
    } else {
      set_labels(read_numbered_labels(context_, *labels_, label_options(), nodes));
    }
  }

  // False for a file without a row where that is allowed: as if there were none.
  bool by_features() {
    const Bytes features = open_(spec_.features);
    if (is_array_file(features)) {
      graph_.features = read_array_features(context_, features);
      refuse_empty(spec_.reading, feature_cols(graph_.features), "features", features.name);
      numbered(feature_rows(graph_.features), features.name, "feature rows");
      return true;
    }
    NodeIndex index;
    Features rows = compact(read_keyed_features(context_, features, {}, index));
    refuse_empty(spec_.reading, index.size(), "features", features.name);
    if (index.size() == 0) return false;
    graph_.features = std::move(rows);
    keyed_by_features(features, index);
    return true;
  }

  void keyed_by_features(const Bytes& features, NodeIndex& index) {
    if (spec_.nodes) check_count(features.name, "feature rows", index.size(), *spec_.nodes);
    set_edges(
        read_known_edges(context_, edges_, spec_.edge_options, index, spec_.reading.unknown_ids));
    graph_.names = index.names(context_);
    if (!labels_) return;
    if (is_array_file(*labels_)) {
      set_labels(read_array_labels(*labels_));
      check_count(labels_->name, "labels", graph_.labels.size(), index.size());
    } else {
      set_labels(read_keyed_labels(context_, *labels_, label_options(), index, true));
    }
  }

  void keyed_by_labels() {
    NodeIndex index;
    NodeLabels labels = read_keyed_labels(context_, *labels_, {}, index, false);
    EdgeList edges = read_named_edges(context_, edges_, spec_.edge_options, index);
    // Nodes that only edges name have no label.
    std::vector<std::int32_t> all(static_cast<std::size_t>(index.size()), unlabelled);
    NodeNames names = index.names(context_);
    if (index.all_integers()) {
      const std::vector<std::int32_t> ranks = index.numeric_ranks(context_);
      edges = renumber(context_, std::move(edges), ranks);
      names = reorder_names(names, ranks);
      for (std::int64_t i = 0; i < labels.labels.size(); ++i) {
        all[static_cast<std::size_t>(ranks[static_cast<std::size_t>(i)])] = labels.labels[i];
      }
    } else {
      std::copy(labels.labels.begin(), labels.labels.end(), all.begin());
    }
    labels.labels = std::move(all);
    set_labels(std::move(labels));
    edges.names = std::move(names);
    set_edges(std::move(edges));
  }

  TableOptions label_options() const { return {.unknown_ids = spec_.reading.unknown_ids}; }
  void set_edges(EdgeList list) {
    graph_.names = std::move(list.names);
    graph_.adjacency = edges_to_csr(context_, list);
    refuse_empty(spec_.reading, graph_.adjacency.nonzeros(), "edges", edges_.name);
  }
  void set_labels(NodeLabels labels) {
    refuse_empty(spec_.reading, labelled_nodes(labels.labels), "labels", labels_->name);
    graph_.labels = std::move(labels.labels);
    graph_.class_names = std::move(labels.class_names);
  }

  const Context& context_;
  const UserDatasetSpec& spec_;
  const std::function<Bytes(const std::filesystem::path&)>& open_;
  Bytes edges_;
  std::optional<Bytes> labels_;
  Graph graph_;
};

// What every graph of a user's files needs at the end.
void finish(const Context& context, Graph& graph, const std::string& edge_file) {
  if (names_are_row_numbers(graph.names)) graph.names = {};
  if (graph.nodes() == 0) {
    fail_input({.what = "the graph has no nodes",
                .file = edge_file,
                .expected = "at least one edge, or features, or `nodes`"});
  }
  const RepeatCounts counts = count_repeats(context, graph.adjacency);
  std::vector<std::string> parts;
  if (counts.repeats > 0) parts.push_back(with_commas(counts.repeats) + " repeat another");
  if (counts.reverses > 0 && !graph.directed) {
    parts.push_back(with_commas(counts.reverses) + " are the reverse of another");
  }
  if (counts.loops > 0) parts.push_back(with_commas(counts.loops) + " are self loops");
  if (parts.empty()) return;
  context.log().write(LogLevel::notice, edge_file + ": of " +
                                            with_commas(graph.adjacency.nonzeros()) + " edges " +
                                            join_words(parts) + "; they are merged for training");
}

}  // namespace

RepeatCounts count_repeats(const Context& context, const CsrMatrix& adjacency) {
  std::atomic<std::int64_t> repeats = 0;
  std::atomic<std::int64_t> reverses = 0;
  std::atomic<std::int64_t> loops = 0;
  parallel_for(context, 0, adjacency.rows, table_grain, [&](std::int64_t first, std::int64_t last) {
    RepeatCounts here;
    for (std::int64_t u = first; u < last; ++u) {
      const std::span<const std::int32_t> row = adjacency.row(u);
      for (std::size_t e = 0; e < row.size(); ++e) {
        const std::int32_t v = row[e];
        if (v == u) ++here.loops;
        if (e > 0 && row[e - 1] == v) {
          ++here.repeats;
        } else if (v < u) {
          const std::span<const std::int32_t> other = adjacency.row(v);
          if (std::binary_search(other.begin(), other.end(), static_cast<std::int32_t>(u))) {
            ++here.reverses;
          }
        }
      }
    }
    repeats += here.repeats;
    reverses += here.reverses;
    loops += here.loops;
  });
  return {.repeats = repeats, .reverses = reverses, .loops = loops};
}

Graph read_user_dataset(const Context& context, const UserDatasetSpec& spec,
                        const std::function<Bytes(const std::filesystem::path&)>& open) {
  Graph graph = DatasetReader(context, spec, open).run();
  finish(context, graph, spec.edges.string());
  for (const std::filesystem::path& path : spec.splits) {
    Split split = read_split_file(context, open(path), graph, spec.reading.unknown_ids).split;
    split.name = path.stem().string();
    graph.splits.push_back(std::move(split));
  }
  validate(graph, spec.features.empty() ? spec.edges.string() : spec.features.string());
  return graph;
}

Graph read_edge_list_graph(const Context& context, const Bytes& bytes) {
  EdgeList list = read_edge_list(context, bytes);
  Graph graph;
  graph.name = std::filesystem::path(bytes.name).stem().string();
  graph.adjacency = edges_to_csr(context, list);
  graph.names = std::move(list.names);
  finish(context, graph, bytes.name);
  return graph;
}

}  // namespace creg
