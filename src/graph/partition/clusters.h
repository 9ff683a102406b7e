// Graphs of clusters: nodes gathered where most of their neighbours are, and what that makes of the
// edges between them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"

namespace creg::detail {

/// An undirected graph whose nodes and edges have weights: a view, or its own arrays. Weights that
/// are not there are 1.
struct WeightedGraph {
  Array<std::int64_t> offsets;
  Array<std::int32_t> columns;
  Array<std::int64_t> edge_weights;
  Array<std::int64_t> node_weights;

  std::int64_t nodes() const { return offsets.size() - 1; }
  std::int64_t edge_weight(std::int64_t e) const {
    return edge_weights.empty() ? 1 : edge_weights[e];
  }
  std::int64_t node_weight(std::int64_t u) const {
    return node_weights.empty() ? 1 : node_weights[u];
  }
};

/// Sums of weights by group, for one node after the other: clearing costs only what was added.
class GroupSums {
 public:
  explicit GroupSums(std::int64_t groups) : sums_(static_cast<std::size_t>(groups), 0) {}

  void add(std::int32_t group, std::int64_t weight) {
    std::int64_t& sum = sums_[static_cast<std::size_t>(group)];
    if (sum == 0) groups_.push_back(group);
    sum += weight;
  }
  std::int64_t of(std::int32_t group) const { return sums_[static_cast<std::size_t>(group)]; }
  /// Those with a sum, in the order of their first weight.
  const std::vector<std::int32_t>& groups() const { return groups_; }
  void clear() {
    for (const std::int32_t group : groups_) sums_[static_cast<std::size_t>(group)] = 0;
    groups_.clear();
  }

 private:
  std::vector<std::int64_t> sums_;
  std::vector<std::int32_t> groups_;
};

/// Picks the candidate with the best score; of equals one at random, each as likely. Draws, of the
/// stream that the key names, only where there are equals.
class BestOf {
 public:
  explicit BestOf(const RandomKey& key) : key_(key) {}

  void offer(std::int32_t candidate, double score) {
    if (best_ >= 0 && score < score_) return;
    if (best_ < 0 || score > score_) {
      best_ = candidate;
      score_ = score;
      equals_ = 1;
      return;
    }
    if (!stream_) stream_.emplace(key_);
    if (stream_->below(++equals_) == 0) best_ = candidate;
  }
  /// -1 without candidates.
  std::int32_t best() const { return best_; }
  double score() const { return score_; }

 private:
  RandomKey key_;
  std::optional<RandomStream> stream_;
  std::int32_t best_ = -1;
  double score_ = 0;
  std::uint64_t equals_ = 0;
};

/// The cluster of each node, numbered from 0 in the order of their first nodes.
struct Clusters {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_node;
};

/// Every node goes to the cluster of most of its neighbours, in a few passes over the rows; none
/// becomes heavier than `heaviest`, unless a node is. `round` names the draws.
Clusters gather(const Context& context, const WeightedGraph& graph, std::int64_t heaviest,
                std::uint32_t round, ProgressTask& progress);

/// The graph of the clusters, loops left out; nothing where it has more than `most_entries`.
std::optional<WeightedGraph> graph_of(const WeightedGraph& graph, const Clusters& clusters,
                                      std::int64_t most_entries, ProgressTask& progress);

}  // namespace creg::detail
