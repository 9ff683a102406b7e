#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "graph/stats.h"

namespace creg::cli {
namespace {

/// By the keys that scripts rely on; what does not exist is null.
Record stats_record(const GraphStats& stats) {
  const Unit unit = Unit::count;
  return {{"name", stats.name},
          {"nodes", stats.nodes, "nodes", unit},
          {"entries", stats.entries, "adjacency entries", unit},
          {"edges", stats.edges, "undirected edges", unit},
          {"directed_edges", stats.directed_edges, "directed edges", unit},
          {"self_loops", stats.self_loops, "nodes with a self loop", unit},
          {"features", stats.features, "features", unit},
          {"nonzeros", stats.nonzeros, "  nonzero values", unit},
          {"classes", stats.classes, "classes", unit},
          {"unlabelled", stats.unlabelled, "  unlabelled nodes", unit},
          {"isolated", stats.isolated, "isolated nodes", unit},
          {"components", stats.components, "components", unit},
          {"largest_component_nodes", stats.largest_component_nodes, "  largest: nodes", unit},
          {"largest_component_edges", stats.largest_component_edges, "  largest: edges", unit},
          {"train", stats.train, "train", unit},
          {"val", stats.val, "val", unit},
          {"test", stats.test, "test", unit}};
}

/// Side by side for people and CSV: as stored, and as training sees it.
Table stats_table(const Record& stored, const Record& prepared) {
  Table table{.columns = {{"figure"},
                          {"", "figure"},
                          {"stored", "as stored", Unit::count},
                          {"after_transforms", "for training", Unit::count}}};
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].label.empty()) continue;
    table.rows.push_back({stored[i].key, stored[i].label, stored[i].value, prepared[i].value});
  }
  return table;
}

Record without_labels(Record record) {
  for (Field& field : record) field.label.clear();
  return record;
}

void show_dataset(const Context& context, const DataSpec& options, const GlobalOptions& globals) {
  const Dataset dataset = open_chosen(context, options, globals);
  const Record stored = stats_record(graph_stats(context, dataset.raw));
  const Graph graph = prepare_graph(context, dataset, options.transforms);
  const Record prepared = stats_record(graph_stats(context, graph));
  std::vector<std::string> transforms = dataset.transforms;
  transforms.insert(transforms.end(), options.transforms.begin(), options.transforms.end());
  const bool known = dataset.entry != nullptr;
  const Value protocol = dataset.protocol.empty() ? Value() : Value(dataset.protocol);

  std::string title = fmt::format("{}  ({}, {})", dataset.raw.name, dataset.source, dataset.format);
  if (known) {
    title += fmt::format("\n{}; licence: {}", dataset.entry->title, dataset.entry->licence);
  }
  Report report{.body = without_labels(stored), .table = stats_table(stored, prepared)};
  append(report.body,
         {words(title),
          {.value = report.table},
          {"directed", dataset.raw.directed},
          {"source", dataset.source},
          {"format", dataset.format},
          {"protocol", protocol},
          {"licence", known ? Value(dataset.entry->licence) : Value()},
          {"splits", dataset.raw.splits.size()},
          {"transforms", transforms},
          {"after_transforms", without_labels(prepared)},
          {.value = transforms.empty() ? Value("none") : Value(transforms), .label = "transforms"},
          {.value = graph.directed ? "directed" : "undirected", .label = "graph for training"},
          {.value = protocol, .label = "protocol"}});
  print_report(report, globals);
}

}  // namespace

void add_data_info(CLI::App& data, GlobalOptions& options) {
  CLI::App* command =
      data.add_subcommand("info", "Figures of a dataset, as stored and as training sees it");
  const auto chosen = std::make_shared<DataSpec>();
  add_dataset_options(*command, *chosen);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      show_dataset(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
