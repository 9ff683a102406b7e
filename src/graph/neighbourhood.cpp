#include "graph/neighbourhood.h"

#include "creg/core/error.h"

namespace creg {

std::vector<std::int32_t> nodes_within(const CsrMatrix& adjacency,
                                       std::span<const std::int32_t> nodes, int hops) {
  std::vector<std::uint8_t> met(static_cast<std::size_t>(adjacency.rows), 0);
  std::vector<std::int32_t> found;
  const auto meet = [&](std::int32_t node) {
    std::uint8_t& seen = met[static_cast<std::size_t>(node)];
    if (seen == 0) found.push_back(node);
    seen = 1;
  };
  for (const std::int32_t node : nodes) {
    invariant(node >= 0 && node < adjacency.rows, "the nodes are the graph's");
    meet(node);
  }
  std::size_t expanded = 0;
  for (int hop = 0; hop < hops; ++hop) {
    for (const std::size_t end = found.size(); expanded < end; ++expanded) {
      for (const std::int32_t neighbour : adjacency.row(found[expanded])) meet(neighbour);
    }
  }
  return found;
}

}  // namespace creg
