#include "train/embed_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/train/trainer.h"
#include "graph/build.h"
#include "graph/neighbourhood.h"
#include "graph/transforms.h"
#include "train/checkpoint.h"
#include "train/loaded_encoder.h"
#include "train/made_features.h"

namespace creg {
namespace {

DenseMatrix rows_of(const DenseMatrix& matrix, std::span<const std::int32_t> rows) {
  Buffer<float> values(static_cast<std::int64_t>(rows.size()) * matrix.cols);
  float* out = values.data();
  for (const std::int32_t row : rows) out = std::ranges::copy(matrix.row(row), out).out;
  return {.rows = static_cast<std::int64_t>(rows.size()),
          .cols = matrix.cols,
          .values = std::move(values)};
}

}  // namespace

bool sees_neighbourhoods(const EncoderOptions& options) {
  if (options.added || options.channel_norm) return false;
  switch (options.kind) {
    case EncoderKind::gcn:
      return options.propagation == Propagation::adjacency;
    case EncoderKind::gat:
    case EncoderKind::gin:
    case EncoderKind::sage:
      return true;
    case EncoderKind::table:
    case EncoderKind::dual:
    case EncoderKind::multiplex:
      break;
  }
  return false;
}

DenseMatrix embed_nodes(const Context& context, const Graph& graph,
                        const std::filesystem::path& checkpoint,
                        std::span<const std::int32_t> nodes) {
  return embed_nodes(context, graph, read_checkpoint(checkpoint), checkpoint.string(), nodes);
}

DenseMatrix embed_nodes(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                        const std::string& name, std::span<const std::int32_t> nodes,
                        const std::shared_ptr<const AddedEncoder>& added) {
  const TrainConfig config = config_of(checkpoint);
  const EncoderOptions& encoder = config.encoder;
  const bool made = makes_features(feature_cols(graph.features), config);
  if (made || !sees_neighbourhoods(encoder)) {
    const std::string who = made                   ? "features made of the structure look"
                            : encoder.channel_norm ? "this encoder, with channel_norm, looks"
                                                   : "this encoder looks";
    context.log().write(LogLevel::info, fmt::format("all {} are embedded: {} at them together",
                                                    counted(graph.nodes(), "node"), who));
    return rows_of(embed(context, graph, checkpoint, name, added), nodes);
  }
  // Messages come along the edges. A hop more than there are layers: the degrees of the outermost
  // nodes that are gathered from count too.
  const CsrMatrix gathered = graph.directed ? transpose(context, graph.adjacency) : graph.adjacency;
  const std::vector<std::int32_t> around = nodes_within(gathered, nodes, encoder.layers + 1);
  context.log().write(LogLevel::info,
                      fmt::format("{} of {} are looked at", with_commas(std::ssize(around)),
                                  counted(graph.nodes(), "node")));
  const DenseMatrix found =
      embed(context, induced_subgraph(context, graph, around), checkpoint, name, added);
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> row_of(static_cast<std::size_t>(graph.nodes()), -1);
  for (std::size_t i = 0; i < around.size(); ++i) {
    row_of[static_cast<std::size_t>(around[i])] = static_cast<std::int32_t>(i);
  }
  for (const std::int32_t node : nodes) rows.push_back(row_of[static_cast<std::size_t>(node)]);
  return rows_of(found, rows);
}

}  // namespace creg
