#include "train/loop/graph_identity.h"

#include <span>
#include <variant>

#include "io/checksum.h"

namespace creg {
namespace {

template <class T>
std::uint32_t sum_of(const Context& context, const Array<T>& array) {
  return crc32c_parallel(context, std::as_bytes(array.span()));
}

std::string checksum(const Context& context, const CsrMatrix& matrix) {
  return std::to_string(sum_of(context, matrix.offsets)) + "-" +
         std::to_string(sum_of(context, matrix.columns)) + "-" +
         std::to_string(sum_of(context, matrix.values));
}

std::string feature_checksum(const Context& context, const Features& features) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) return checksum(context, *sparse);
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    return std::to_string(sum_of(context, dense->values));
  }
  return "none";
}

}  // namespace

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
          {"edges_checksum", checksum(context, graph.adjacency)}};
}

TextPairs graph_identity(const Context& context, const Graph& graph) {
  return {{"dataset", graph.name},
          {"nodes", std::to_string(graph.nodes())},
          {"entries", std::to_string(graph.adjacency.nonzeros())},
          {"feature_width", std::to_string(feature_cols(graph.features))},
          {"edges_checksum", checksum(context, graph.adjacency)},
          {"features_checksum", feature_checksum(context, graph.features)}};
}

}  // namespace creg
