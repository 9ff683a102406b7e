#include "calibration/random_pairs.h"

#include <cmath>
#include <vector>

#include "calibration/node_pairs.h"
#include "core/parallel.h"
#include "creg/core/random.h"

namespace creg {
using calibration::dot;

RandomPairStatistics random_pair_statistics(const Context& context, const DenseMatrix& embedding,
                                            std::int64_t pairs) {
  RandomPairStatistics out;
  const std::int64_t nodes = embedding.rows;
  constexpr std::int64_t grain = 1024;
  std::vector<double> norms(static_cast<std::size_t>(nodes));
  parallel_for(context, 0, nodes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      norms[static_cast<std::size_t>(i)] = std::sqrt(dot(embedding.row(i), embedding.row(i)));
    }
  });
  for (const double norm : norms) out.norm_mean += norm / static_cast<double>(nodes);
  for (const double norm : norms) {
    if (nodes > 1) {
      out.norm_variance +=
          (norm - out.norm_mean) * (norm - out.norm_mean) / static_cast<double>(nodes - 1);
    }
  }
  if (nodes < 2) return out;
  std::vector<double> sigmas(static_cast<std::size_t>(pairs));
  parallel_for(context, 0, pairs, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      RandomStream stream(context.seed(), Purpose::random_pairs, 0, static_cast<std::uint64_t>(p));
      const auto u = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(nodes)));
      const std::int32_t v = calibration::another_node(stream, nodes, u);
      sigmas[static_cast<std::size_t>(p)] =
          calibration::sigma(dot(embedding.row(u), embedding.row(v)));
    }
  });
  for (const double sigma : sigmas) out.mean_sigma += sigma / static_cast<double>(pairs);
  out.pairs = pairs;
  return out;
}

}  // namespace creg
