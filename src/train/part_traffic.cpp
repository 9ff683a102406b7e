#include "train/part_traffic.h"

#include <algorithm>
#include <cmath>

#include "creg/methods/entry.h"
#include "graph/non_edges.h"
#include "graph/part_non_edges.h"

namespace creg {
namespace {

constexpr std::int64_t number_bytes = 4;

/// Columns of what layer `layer` gathers.
std::int64_t gathered_width(const EncoderOptions& encoder, int layer) {
  const std::int64_t width = encoder.width(layer);
  return encoder.kind == EncoderKind::gin ? 2 * width : width;
}

}  // namespace

PartTraffic part_traffic(const TrainConfig& config, const PartSizes& sizes) {
  const MethodEntry& method = method_of(config);
  const EncoderOptions& encoder = config.encoder;
  const bool corrupts = method.corrupts || config.regulariser.contrast;
  const bool pairs = static_cast<bool>(method.pairs);
  std::int64_t width = 0;  // of all rows that halos get
  for (int l = 1; l < encoder.layers; ++l) width += gathered_width(encoder, l);
  if (corrupts) width *= 2;
  if (pairs) width += encoder.dim;
  if (method.labels) width += sizes.classes;
  PartTraffic out;
  // Rows there, gradients back.
  out.halo = number_bytes * width * (sizes.sent + sizes.halo);

  const auto nodes = static_cast<double>(sizes.nodes);
  const auto own = static_cast<double>(sizes.own);
  const auto shuffled = [&](double here, double everywhere, std::int64_t columns) {
    // Of the rows that this rank wants so many are others'; of what others want so many are its.
    const double wanted = here * (1 - own / nodes);
    const double asked = (everywhere - here) * own / nodes;
    const auto row = static_cast<double>(number_bytes * columns);
    return asked * row + wanted * (row + static_cast<double>(number_bytes));
  };
  double bytes = 0;
  if (corrupts) {
    bytes += shuffled(static_cast<double>(sizes.own + sizes.halo),
                      static_cast<double>(sizes.all_rows), gathered_width(encoder, 0));
  }
  if (pairs) {
    const auto lists = static_cast<double>(config.contrast.negatives);
    if (method.pairs(method_options(config)).source == "edges") {
      // The ends of random pairs, as many as there are edges: each node is asked for once.
      const auto distinct = [&](double of_nodes) {
        const double drawn = lists * static_cast<double>(sizes.entries) * of_nodes / nodes;
        return nodes * -std::expm1(-drawn / nodes);
      };
      const double ranks = sizes.ranks;
      // Everybody is told which attempts end on an edge.
      const double blocks =
          std::ceil(lists * static_cast<double>(sizes.entries) / NonEdgeSampler::block);
      const auto attempts =
          static_cast<double>(PartNonEdges::usual_attempts(sizes.nodes, sizes.entries));
      constexpr double told_bytes = 8;
      bytes += told_bytes * (ranks - 1) * blocks * attempts * static_cast<double>(sizes.entries) *
               own / (nodes * nodes * nodes);
      const double here = distinct(own);
      bytes +=
          shuffled(here, here + (ranks - 1) * distinct((nodes - own) / std::max(1.0, ranks - 1)),
                   encoder.dim);
    } else {
      bytes += shuffled(lists * own, lists * nodes, encoder.dim);
    }
  }
  out.shuffled = std::llround(bytes);
  // Each rank adds up its share of the numbers, and tells the others.
  out.gradients = 2 * number_bytes * sizes.parameters * (sizes.ranks - 1) / sizes.ranks;
  return out;
}

}  // namespace creg
