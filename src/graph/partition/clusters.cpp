#include "graph/partition/clusters.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace creg::detail {
namespace {

constexpr int gathering_passes = 4;
constexpr std::uint32_t draws_of_a_round = 64;
constexpr std::int64_t nodes_per_report = 1 << 12;
// A pass that moves fewer than one node in so many is the last one.
constexpr std::int64_t few_moves = 100;

// Numbers them anew, from 0 in the order of their first nodes.
Clusters numbered(std::vector<std::int32_t> labels) {
  Clusters clusters;
  std::vector<std::int32_t> number(labels.size(), -1);
  for (std::int32_t& label : labels) {
    std::int32_t& n = number[static_cast<std::size_t>(label)];
    if (n < 0) n = clusters.count++;
    label = n;
  }
  clusters.of_node = std::move(labels);
  return clusters;
}

// The nodes by cluster: those of c are order[starts[c]] to order[starts[c + 1] - 1], ascending.
struct Members {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> order;
};

Members members_of(const Clusters& clusters) {
  Members members{.starts = std::vector<std::int64_t>(static_cast<std::size_t>(clusters.count) + 1),
                  .order = std::vector<std::int32_t>(clusters.of_node.size())};
  for (const std::int32_t c : clusters.of_node) ++members.starts[static_cast<std::size_t>(c) + 1];
  std::inclusive_scan(members.starts.begin(), members.starts.end(), members.starts.begin());
  std::vector<std::int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::size_t u = 0; u < clusters.of_node.size(); ++u) {
    std::int64_t& place = next[static_cast<std::size_t>(clusters.of_node[u])];
    members.order[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(u);
  }
  return members;
}

}  // namespace

Clusters gather(const Context& context, const WeightedGraph& graph, std::int64_t heaviest,
                std::uint32_t round, ProgressTask& progress) {
  const std::int64_t n = graph.nodes();
  std::vector<std::int32_t> labels(static_cast<std::size_t>(n));
  std::iota(labels.begin(), labels.end(), 0);
  std::vector<std::int64_t> weights(static_cast<std::size_t>(n));
  for (std::int64_t u = 0; u < n; ++u) weights[static_cast<std::size_t>(u)] = graph.node_weight(u);
  GroupSums joined(n);
  for (int pass = 0; pass < gathering_passes; ++pass) {
    std::int64_t moves = 0;
    for (std::int64_t u = 0; u < n; ++u) {
      if (u % nodes_per_report == 0) progress.advance(std::min(nodes_per_report, n - u));
      std::int32_t& own = labels[static_cast<std::size_t>(u)];
      for (std::int64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        joined.add(labels[static_cast<std::size_t>(graph.columns[e])], graph.edge_weight(e));
      }
      const std::int64_t weight = graph.node_weight(u);
      BestOf choice({.seed = context.seed(),
                     .purpose = Purpose::partition,
                     .epoch = round * draws_of_a_round + static_cast<std::uint32_t>(pass),
                     .item = static_cast<std::uint64_t>(u)});
      for (const std::int32_t label : joined.groups()) {
        if (label == own || weights[static_cast<std::size_t>(label)] + weight <= heaviest) {
          choice.offer(label, static_cast<double>(joined.of(label)));
        }
      }
      const bool better = choice.best() >= 0 && choice.best() != own &&
                          choice.score() > static_cast<double>(joined.of(own));
      joined.clear();
      if (!better) continue;
      weights[static_cast<std::size_t>(own)] -= weight;
      weights[static_cast<std::size_t>(choice.best())] += weight;
      own = choice.best();
      ++moves;
    }
    if (moves * few_moves < n) break;
  }
  return numbered(std::move(labels));
}

std::optional<WeightedGraph> graph_of(const WeightedGraph& graph, const Clusters& clusters,
                                      std::int64_t most_entries, ProgressTask& progress) {
  const Members members = members_of(clusters);
  GroupSums joined(clusters.count);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> edge_weights;
  std::vector<std::int64_t> node_weights;
  offsets.reserve(static_cast<std::size_t>(clusters.count) + 1);
  for (std::int32_t c = 0; c < clusters.count; ++c) {
    if (c % nodes_per_report == 0) progress.advance(0);
    std::int64_t weight = 0;
    for (std::int64_t i = members.starts[static_cast<std::size_t>(c)];
         i < members.starts[static_cast<std::size_t>(c) + 1]; ++i) {
      const std::int32_t u = members.order[static_cast<std::size_t>(i)];
      weight += graph.node_weight(u);
      for (std::int64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        const std::int32_t other = clusters.of_node[static_cast<std::size_t>(graph.columns[e])];
        if (other != c) joined.add(other, graph.edge_weight(e));
      }
    }
    node_weights.push_back(weight);
    for (const std::int32_t other : joined.groups()) {
      columns.push_back(other);
      edge_weights.push_back(joined.of(other));
    }
    joined.clear();
    if (static_cast<std::int64_t>(columns.size()) > most_entries) return std::nullopt;
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return WeightedGraph{.offsets = std::move(offsets),
                       .columns = std::move(columns),
                       .edge_weights = std::move(edge_weights),
                       .node_weights = std::move(node_weights)};
}

}  // namespace creg::detail
