#include "train/made_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "learn/structure_features.h"
#include "train/checkpoint.h"
#include "train/loaded_encoder.h"
#include "train/loop/graph_identity.h"
#include "train/training_step.h"

namespace creg {
namespace {

std::int64_t columns_of(const GraphSize& size, const TrainConfig& config) {
  return structure_columns(size.nodes, config.structure_features);
}

}  // namespace

bool makes_features(std::int64_t columns, const TrainConfig& config) {
  return columns == 0 && config.structure_features > 0 &&
         (config.encoder.added || config.encoder.kind != EncoderKind::table);
}

GraphSize with_made_features(GraphSize size, const TrainConfig& config) {
  if (!makes_features(size.features, config)) return size;
  constexpr std::int64_t number = 4;
  size.features = columns_of(size, config);
  size.feature_entries = size.nodes * size.features;
  size.sparse_features = false;
  size.feature_bytes = number * size.feature_entries;
  return size;
}

std::int64_t bytes_of_making(const GraphSize& size, const TrainConfig& config) {
  if (!makes_features(size.features, config)) return 0;
  return structure_bytes(size.nodes, size.entries, columns_of(size, config));
}

Graph with_made_features(const Context& context, Graph graph, const TrainConfig& config) {
  if (makes_features(feature_cols(graph.features), config)) {
    graph.features =
        structure_features(context, graph, config.structure_features, learn::symmetric_eigen);
  }
  return graph;
}

void tell_made_features(const Context& context, const GraphSize& size, const TrainConfig& config) {
  if (!makes_features(size.features, config)) return;
  context.log().write(LogLevel::info,
                      fmt::format("the graph has no features: {} made of its structure",
                                  counted(columns_of(size, config), "column")));
}

void refuse_made_features(std::int64_t columns, const TrainConfig& config, const std::string& graph,
                          const std::string& why) {
  if (!makes_features(columns, config)) return;
  fail_input({.what = "the graph has no features, and those that are made of its structure " + why,
              .file = graph,
              .hint = "give it features of its own"});
}

bool has_made_features(const Checkpoint& checkpoint) {
  return std::find(checkpoint.graph.begin(), checkpoint.graph.end(), made_features_pair()) !=
         checkpoint.graph.end();
}

Graph with_kept_features(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                         const std::string& file) {
  TrainConfig config = config_of(checkpoint);
  if (!has_made_features(checkpoint)) {
    config.structure_features = 0;
    return with_prepared_features(context, graph, config);
  }
  const auto refuse = [&](const std::string& found) {
    fail_input({.what = "the encoder knows features made of the structure of the graph it was "
                        "trained on, and on another they would mean something else",
                .file = file,
                .found = found,
                .expected = "that graph, without features",
                .hint = "train on this graph"});
  };
  if (has_features(graph.features)) {
    refuse(counted(feature_cols(graph.features), "feature") + " of " + in_quotes(graph.name) +
           "'s own");
  }
  const std::string difference = differences(checkpoint.graph, edges_identity(context, graph));
  if (!difference.empty()) refuse(difference);
  tell_made_features(context, size_of(graph), config);
  return with_prepared_features(context, graph, config);
}

}  // namespace creg
