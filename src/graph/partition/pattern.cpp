#include "graph/partition/pattern.h"

#include <utility>
#include <vector>

#include "graph/transforms.h"

namespace creg::detail {
namespace {

// Rows are gone through in order, so the entries that a row has left of the diagonal are met in
// their order too: each has to be the next one there.
bool is_undirected_pattern(const CsrMatrix& matrix) {
  std::vector<std::int64_t> next(matrix.offsets.begin(), matrix.offsets.end() - 1);
  for (std::int64_t u = 0; u < matrix.rows; ++u) {
    std::int32_t before = -1;
    for (std::int64_t e = matrix.offsets[u]; e < matrix.offsets[u + 1]; ++e) {
      const std::int32_t v = matrix.columns[e];
      if (v <= before || v == u) return false;
      before = v;
      if (v < u) {
        // Its mirror image came first, or is not there.
        if (e >= next[static_cast<std::size_t>(u)]) return false;
        continue;
      }
      std::int64_t& mirror = next[static_cast<std::size_t>(v)];
      if (mirror == matrix.offsets[v + 1] || matrix.columns[mirror] != u) return false;
      ++mirror;
    }
  }
  return true;
}

}  // namespace

CsrMatrix undirected_pattern(const Context& context, const Graph& graph) {
  CsrMatrix pattern = graph.adjacency;
  pattern.values = {};
  if (is_undirected_pattern(pattern)) return pattern;
  Graph bare;
  bare.directed = graph.directed;
  bare.adjacency = std::move(pattern);
  bare = remove_self_loops(context, symmetrise(context, std::move(bare)));
  pattern = std::move(bare.adjacency);
  pattern.values = {};
  return pattern;
}

}  // namespace creg::detail
