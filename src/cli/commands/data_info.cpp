#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/reports/stats_table.h"
#include "core/text.h"

namespace creg::cli {
namespace {

void show_dataset(const Context& context, const DataSpec& options, const GlobalOptions& globals) {
  const Dataset dataset = open_chosen(context, options, globals);
  const GraphStats stored = graph_stats(context, dataset.raw);
  const Graph graph = prepare_graph(context, dataset, options.transforms);
  const GraphStats prepared = graph_stats(context, graph);
  std::vector<std::string> transforms = dataset.transforms;
  transforms.insert(transforms.end(), options.transforms.begin(), options.transforms.end());

  if (globals.json) {
    nlohmann::ordered_json out = stats_json(stored);
    out["directed"] = dataset.raw.directed;
    out["source"] = dataset.source;
    out["format"] = dataset.format;
    out["protocol"] = nullptr;
    out["licence"] = nullptr;
    if (!dataset.protocol.empty()) out["protocol"] = dataset.protocol;
    if (dataset.entry != nullptr) out["licence"] = std::string(dataset.entry->licence);
    out["splits"] = dataset.raw.splits.size();
    out["transforms"] = transforms;
    out["after_transforms"] = stats_json(prepared);
    print_result(out.dump(2) + "\n");
    return;
  }
  std::string text =
      fmt::format("{}  ({}, {})\n", dataset.raw.name, dataset.source, dataset.format);
  if (dataset.entry != nullptr) {
    text += fmt::format("{}; licence: {}\n", dataset.entry->title, dataset.entry->licence);
  }
  text += "\n" + stats_table(stored, prepared) + "\n";
  text +=
      fmt::format("transforms: {}\n", transforms.empty() ? "none" : join_words(transforms, ", "));
  text += fmt::format("graph for training: {}\n", graph.directed ? "directed" : "undirected");
  if (!dataset.protocol.empty()) text += fmt::format("protocol: {}\n", dataset.protocol);
  print_result(text);
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
