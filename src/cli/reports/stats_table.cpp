#include "cli/reports/stats_table.h"

#include <fmt/format.h>

#include <optional>

#include "core/text.h"

namespace creg::cli {
namespace {

nlohmann::ordered_json count_or_null(const std::optional<std::int64_t>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string number_or_dash(const std::optional<std::int64_t>& value) {
  return value ? with_commas(*value) : "-";
}

}  // namespace

nlohmann::ordered_json stats_json(const GraphStats& stats) {
  return {{"name", stats.name},
          {"nodes", stats.nodes},
          {"entries", stats.entries},
          {"edges", stats.edges},
          {"directed_edges", stats.directed_edges},
          {"self_loops", stats.self_loops},
          {"features", count_or_null(stats.features)},
          {"nonzeros", count_or_null(stats.nonzeros)},
          {"classes", count_or_null(stats.classes)},
          {"unlabelled", count_or_null(stats.unlabelled)},
          {"isolated", stats.isolated},
          {"components", stats.components},
          {"largest_component_nodes", stats.largest_component_nodes},
          {"largest_component_edges", stats.largest_component_edges},
          {"train", count_or_null(stats.train)},
          {"val", count_or_null(stats.val)},
          {"test", count_or_null(stats.test)}};
}

std::string stats_table(const GraphStats& stored, const GraphStats& prepared) {
  std::string text = fmt::format("{:<26}{:>14}{:>14}\n", "", "as stored", "for training");
  const auto row = [&](std::string_view label, std::optional<std::int64_t> a,
                       std::optional<std::int64_t> b) {
    text += fmt::format("{:<26}{:>14}{:>14}\n", label, number_or_dash(a), number_or_dash(b));
  };
  row("nodes", stored.nodes, prepared.nodes);
  row("adjacency entries", stored.entries, prepared.entries);
  row("undirected edges", stored.edges, prepared.edges);
  row("directed edges", stored.directed_edges, prepared.directed_edges);
  row("nodes with a self loop", stored.self_loops, prepared.self_loops);
  row("isolated nodes", stored.isolated, prepared.isolated);
  row("components", stored.components, prepared.components);
  row("  largest: nodes", stored.largest_component_nodes, prepared.largest_component_nodes);
  row("  largest: edges", stored.largest_component_edges, prepared.largest_component_edges);
  row("features", stored.features, prepared.features);
  row("  nonzero values", stored.nonzeros, prepared.nonzeros);
  row("classes", stored.classes, prepared.classes);
  row("  unlabelled nodes", stored.unlabelled, prepared.unlabelled);
  row("train", stored.train, prepared.train);
  row("val", stored.val, prepared.val);
  row("test", stored.test, prepared.test);
  return text;
}

}  // namespace creg::cli
