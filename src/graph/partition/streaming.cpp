#include "graph/partition/streaming.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "creg/core/progress.h"
#include "graph/partition/clusters.h"

namespace creg::detail {
namespace {

// A cluster is at most so small a part of a part that parts of them can be of equal weight.
constexpr std::int64_t clusters_per_part = 16;
constexpr std::int64_t smallest_graph_per_part = 64;
constexpr int most_levels = 12;
constexpr int moving_passes = 8;
constexpr int most_deals = 8;
// Dealing out several times is for graphs of clusters, not for those that would not shrink.
constexpr std::int64_t most_nodes_to_deal_again = 1 << 16;
constexpr std::int64_t nodes_per_look = 1 << 12;
// A pass that moves fewer than one node in so many is the last one.
constexpr std::int64_t too_few_moves = 1000;
// Draws of gathering have the epochs below this.
constexpr std::uint32_t dealing_epochs = 1 << 20;

struct Parts {
  std::vector<std::int32_t> owners;
  std::vector<std::int64_t> loads;
};

class Dealer {
 public:
  Dealer(const Context& context, int parts, std::int64_t most, ProgressTask& progress)
      : context_(context), parts_(parts), most_(most), joined_(parts), progress_(progress) {}

  // The best of several deals, each of them improved.
  Parts deal(const WeightedGraph& graph) {
    const int deals = graph.nodes() <= most_nodes_to_deal_again ? most_deals : 1;
    Parts best;
    std::int64_t least_cut = -1;
    for (int i = 0; i < deals; ++i) {
      Parts parts = deal_once(graph, static_cast<std::uint32_t>(i));
      improve(graph, parts);
      const std::int64_t cut = cut_of(graph, parts);
      if (least_cut >= 0 && cut >= least_cut) continue;
      least_cut = cut;
      best = std::move(parts);
    }
    return best;
  }

  // Moves nodes to the part of more of their neighbours where there is room, and out of parts that
  // have too much.
  void improve(const WeightedGraph& graph, Parts& parts) {
    for (int pass = 0; pass < moving_passes; ++pass) {
      std::int64_t moves = 0;
      for (std::int64_t u = 0; u < graph.nodes(); ++u) {
        if (u % nodes_per_look == 0) progress_.advance(std::min(nodes_per_look, graph.nodes() - u));
        moves += move(graph, parts, u) ? 1 : 0;
      }
      if (moves * too_few_moves < graph.nodes()) break;
    }
  }

 private:
  std::int64_t& load(Parts& parts, std::int32_t p) const {
    return parts.loads[static_cast<std::size_t>(p)];
  }

  // The heaviest nodes first, of equals in an order of this deal; each to the part with most of its
  // neighbours, less where that is fuller.
  Parts deal_once(const WeightedGraph& graph, std::uint32_t number) {
    const std::int64_t n = graph.nodes();
    RandomStream stream(
        {.seed = context_.seed(), .purpose = Purpose::partition, .epoch = dealing_epochs + number});
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    // The first deal keeps the order of a graph, which often means something.
    if (number > 0) shuffle(std::span(order), stream);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return graph.node_weight(a) > graph.node_weight(b);
    });
    Parts parts{.owners = std::vector<std::int32_t>(static_cast<std::size_t>(n), -1),
                .loads = std::vector<std::int64_t>(static_cast<std::size_t>(parts_), 0)};
    for (const std::int32_t u : order) {
      sum_neighbours(graph, parts, u);
      const std::int64_t weight = graph.node_weight(u);
      std::int32_t best = lightest(parts);
      double most = score(parts, best);
      for (const std::int32_t p : joined_.groups()) {
        if (load(parts, p) + weight <= most_ && score(parts, p) > most) {
          best = p;
          most = score(parts, p);
        }
      }
      joined_.clear();
      parts.owners[static_cast<std::size_t>(u)] = best;
      load(parts, best) += weight;
    }
    return parts;
  }

  double score(Parts& parts, std::int32_t p) const {
    return static_cast<double>(joined_.of(p)) *
           (1 - static_cast<double>(load(parts, p)) / static_cast<double>(most_));
  }

  static std::int32_t lightest(const Parts& parts) {
    const auto least = std::min_element(parts.loads.begin(), parts.loads.end());
    return static_cast<std::int32_t>(least - parts.loads.begin());
  }

  void sum_neighbours(const WeightedGraph& graph, const Parts& parts, std::int64_t u) {
    for (std::int64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
      const std::int32_t p = parts.owners[static_cast<std::size_t>(graph.columns[e])];
      if (p >= 0) joined_.add(p, graph.edge_weight(e));
    }
  }

  bool move(const WeightedGraph& graph, Parts& parts, std::int64_t u) {
    std::int32_t& own = parts.owners[static_cast<std::size_t>(u)];
    const std::int64_t weight = graph.node_weight(u);
    const bool must = load(parts, own) > most_;
    sum_neighbours(graph, parts, u);
    std::int32_t best = own;
    std::int64_t most = must ? -1 : joined_.of(own);
    const auto offer = [&](std::int32_t p) {
      if (p == own || load(parts, p) + weight > most_) return;
      // Of equals the lighter one, so that room comes to where it is wanted.
      const bool lighter = load(parts, p) + weight < load(parts, best);
      if (joined_.of(p) > most || (joined_.of(p) == most && lighter)) {
        best = p;
        most = joined_.of(p);
      }
    };
    for (const std::int32_t p : joined_.groups()) offer(p);
    if (must && best == own) offer(lightest(parts));
    joined_.clear();
    if (best == own) return false;
    load(parts, own) -= weight;
    load(parts, best) += weight;
    own = best;
    return true;
  }

  std::int64_t cut_of(const WeightedGraph& graph, const Parts& parts) const {
    std::int64_t cut = 0;
    for (std::int64_t u = 0; u < graph.nodes(); ++u) {
      for (std::int64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        const bool apart = parts.owners[static_cast<std::size_t>(u)] !=
                           parts.owners[static_cast<std::size_t>(graph.columns[e])];
        cut += apart ? graph.edge_weight(e) : 0;
      }
    }
    return cut;
  }

  const Context& context_;
  int parts_;
  std::int64_t most_;
  GroupSums joined_;
  ProgressTask& progress_;
};

}  // namespace

std::vector<std::int32_t> streaming_owners(const Context& context, const CsrMatrix& pattern,
                                           int parts, double slack) {
  const std::int64_t n = pattern.rows;
  const auto share = static_cast<double>(n) / parts;
  // Whole nodes: no less than a share rounded up.
  const auto most =
      static_cast<std::int64_t>(std::max(std::floor((1 + slack) * share), std::ceil(share)));
  const std::int64_t heaviest = std::max<std::int64_t>(1, n / (clusters_per_part * parts));
  ProgressTask progress(context, "partitioning in passes", -1, "nodes");

  std::vector<WeightedGraph> graphs = {{.offsets = pattern.offsets, .columns = pattern.columns}};
  std::vector<Clusters> clusters;
  std::int64_t room = pattern.nonzeros() / 8 + (1 << 16);
  while (graphs.back().nodes() > smallest_graph_per_part * parts && clusters.size() < most_levels) {
    const WeightedGraph& last = graphs.back();
    Clusters next =
        gather(context, last, heaviest, static_cast<std::uint32_t>(clusters.size()), progress);
    if (next.count > last.nodes() * 9 / 10) break;
    std::optional<WeightedGraph> smaller = graph_of(last, next, room, progress);
    if (!smaller) break;
    room -= smaller->columns.size();
    clusters.push_back(std::move(next));
    graphs.push_back(std::move(*smaller));
  }

  Dealer dealer(context, parts, most, progress);
  Parts result = dealer.deal(graphs.back());
  while (!clusters.empty()) {
    graphs.pop_back();
    std::vector<std::int32_t> owners(clusters.back().of_node.size());
    for (std::size_t u = 0; u < owners.size(); ++u) {
      owners[u] = result.owners[static_cast<std::size_t>(clusters.back().of_node[u])];
    }
    clusters.pop_back();
    result.owners = std::move(owners);
    dealer.improve(graphs.back(), result);
  }
  progress.finish();
  return std::move(result.owners);
}

}  // namespace creg::detail
