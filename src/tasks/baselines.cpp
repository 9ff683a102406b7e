#include "creg/tasks/baselines.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/memory_limits.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/normalise.h"
#include "learn/sparse_product.h"
#include "tasks/embedding_rows.h"

namespace creg {
namespace {

constexpr std::array<std::string_view, 3> row_names = {"X", "ÂX", "Â²X"};

void check_features(const Graph& graph) {
  if (!has_features(graph.features)) {
    fail_input({.what = "baselines are made of features",
                .file = tasks::subject(graph),
                .found = "a graph without features"});
  }
  const std::int64_t bytes =
      2 * graph.nodes() * feature_cols(graph.features) * std::int64_t{sizeof(float)};
  const MemoryLimit left = memory_left();
  if (bytes <= left.bytes) return;
  fail_environment(
      {.what = "the baselines need more memory than there is",
       .file = tasks::subject(graph),
       .found = fmt::format("{} for the features twice, as dense rows", human_bytes(bytes)),
       .expected = fmt::format("{} at most, by {}", human_bytes(left.bytes), left.name)});
}

}  // namespace

std::vector<Baseline> classify_baselines(const Context& context, const Graph& graph,
                                         const ClassifyOptions& options) {
  check_features(graph);
  ClassifyOptions plain = options;
  plain.smooth = 0;
  const CsrMatrix propagation = gcn_normalised(context, graph.adjacency);
  DenseMatrix rows = to_dense(graph.features);
  std::vector<Baseline> found;
  for (std::size_t hops = 0; hops < row_names.size(); ++hops) {
    if (hops > 0) rows = sparse_product(context, propagation, rows);
    found.push_back({std::string(row_names[hops]), classify(context, graph, rows, plain)});
  }
  return found;
}

}  // namespace creg
