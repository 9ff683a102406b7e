#include "train/loop/graph_identity.h"

#include "io/graph_checksum.h"

namespace creg {

std::string differences(const TextPairs& there, const TextPairs& here) {
  std::string text;
  for (const auto& [key, value] : here) {
    std::string other = "nothing";
    for (const auto& [name, found] : there) {
      if (name == key) other = found;
    }
    if (other != value) {
      text += (text.empty() ? "" : "; ") + key + ": " + other + " there, " + value + " here";
    }
  }
  return text;
}

TextPairs edges_identity(const Context& context, const Graph& graph) {
  return {{"nodes", std::to_string(graph.nodes())},
          {"entries", std::to_string(graph.adjacency.nonzeros())},
          {"edges_checksum", matrix_checksum(context, graph.adjacency)}};
}

std::pair<std::string, std::string> made_features_pair() {
  return {"features_checksum", "of the structure"};
}

TextPairs graph_identity(const Context& context, const Graph& graph, bool made_features) {
  return {{"dataset", graph.name},
          {"nodes", std::to_string(graph.nodes())},
          {"entries", std::to_string(graph.adjacency.nonzeros())},
          {"feature_width", std::to_string(feature_cols(graph.features))},
          {"edges_checksum", matrix_checksum(context, graph.adjacency)},
          made_features ? made_features_pair()
                        : std::pair<std::string, std::string>(
                              "features_checksum", feature_checksum(context, graph.features))};
}

}  // namespace creg
