#include "report/neighbours_report.h"

#include <fmt/format.h>

#include "core/text.h"

namespace creg {
namespace {

std::string name_of_node(const NodeNames& names, std::int32_t node) {
  return names.empty() ? std::to_string(node) : std::string(names[node]);
}

std::string search_words(const NeighbourSource& source, const NeighbourOptions& options) {
  std::string text =
      fmt::format("{}: the most similar by {}", source.embedding, name_of(options.similarity));
  if (options.graph_neighbours == GraphNeighbours::exclude) {
    text += fmt::format(", less the neighbours in {}", source.graph);
  } else if (source.graph.empty()) {
    text += "; without a dataset nothing is known of edges";
  }
  return text;
}

/// Null where there is no graph.
Value edge_value(const NeighbourLists& lists, std::size_t at) {
  return lists.edges.empty() ? Value() : Value(lists.edges[at] != 0);
}

}  // namespace

Report neighbours_report(const NeighbourLists& lists, const NeighbourSource& source,
                         const NeighbourOptions& options) {
  Report report{.body = {words(search_words(source, options))},
                .table = {.columns = {{"node"}, {"rank"}, {"neighbour"}, {"score"}, {"edge"}}}};
  const bool marks = !source.graph.empty() && options.graph_neighbours == GraphNeighbours::mark;
  List nodes;
  for (std::int64_t i = 0; i < lists.size(); ++i) {
    const std::string node = name_of_node(source.names, lists.nodes[static_cast<std::size_t>(i)]);
    Table shown{.columns = {{.label = "rank"},
                            {.label = "neighbour"},
                            {.label = "score", .unit = Unit::decimal},
                            {.label = marks ? "graph neighbour" : ""}}};
    List found;
    for (std::int64_t place = 0; place < lists.k; ++place) {
      const std::size_t at = lists.at(i, place);
      if (lists.neighbours[at] < 0) break;
      const std::string neighbour = name_of_node(source.names, lists.neighbours[at]);
      const double score = lists.scores[at];
      const Value edge = edge_value(lists, at);
      found.emplace_back(Record{{"node", neighbour}, {"score", score}, {"edge", edge}});
      shown.rows.push_back({place + 1, neighbour, score, edge});
      report.table.rows.push_back({node, place + 1, neighbour, score, edge});
    }
    nodes.emplace_back(Record{{"node", node}, {"neighbours", std::move(found)}});
    report.body.push_back({.value = std::move(shown), .label = "node " + node});
  }
  report.body.push_back({.value = std::move(nodes)});
  return report;
}

Report neighbours_file_report(const NeighbourSummary& summary, const NeighbourSource& source,
                              const NeighbourOptions& options, std::int64_t nodes,
                              const std::filesystem::path& out) {
  const std::string how =
      summary.recall ? fmt::format("by an index that finds {:.1f} % of the exact neighbours of {}",
                                   100 * *summary.recall, counted(summary.recall_nodes, "node"))
                     : "exact";
  return {.body = {words(search_words(source, options)),
                   words(fmt::format("{}: {} for each of {}, {}", out.string(),
                                     counted(options.k, "neighbour"), counted(nodes, "node"), how)),
                   {"out", out.string()},
                   {"nodes", nodes},
                   {"k", options.k},
                   {"similarity", name_of(options.similarity)},
                   {"graph_neighbours", name_of(options.graph_neighbours)},
                   {"graph", source.graph.empty() ? Value() : Value(source.graph)},
                   {"approximate", summary.approximate},
                   {"recall", summary.recall},
                   {"recall_nodes", summary.recall ? Value(summary.recall_nodes) : Value()}}};
}

}  // namespace creg
