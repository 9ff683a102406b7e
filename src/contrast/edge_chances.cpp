#include "contrast/edge_chances.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "contrast/adaptive_chances.h"
#include "core/parallel.h"
#include "creg/core/error.h"

namespace creg {

std::vector<float> adaptive_edge_chances(const Context& context, const CsrMatrix& adjacency,
                                         std::span<const double> centrality, double chance) {
  invariant(static_cast<std::int64_t>(centrality.size()) == adjacency.cols,
            "every node has its centrality");
  std::vector<double> logs(centrality.size());
  std::transform(centrality.begin(), centrality.end(), logs.begin(),
                 [](double c) { return std::log(c); });
  std::vector<double> scores(static_cast<std::size_t>(adjacency.nonzeros()));
  constexpr std::int64_t entry_grain = 1 << 16;
  parallel_for(context, 0, adjacency.nonzeros(), entry_grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t e = first; e < last; ++e) {
                   scores[static_cast<std::size_t>(e)] =
                       logs[static_cast<std::size_t>(adjacency.columns[e])];
                 }
               });
  return adaptive_chances(scores, chance);
}

}  // namespace creg
