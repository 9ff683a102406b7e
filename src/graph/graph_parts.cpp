#include "graph/graph_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/rows/csr_rows.h"
#include "graph/transforms.h"

namespace creg {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

NodeNames names_of_nodes(const NodeNames& names, std::span<const std::int32_t> nodes) {
  if (names.empty()) return {};
  Buffer<std::int64_t> offsets(static_cast<std::int64_t>(nodes.size()) + 1);
  offsets[0] = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    offsets[row + 1] = offsets[row] + static_cast<std::int64_t>(names[nodes[i]].size());
  }
  Buffer<char> characters(offsets[offsets.size() - 1]);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string_view name = names[nodes[i]];
    std::copy(name.begin(), name.end(), characters.begin() + offsets[static_cast<std::int64_t>(i)]);
  }
  return {std::move(offsets), std::move(characters)};
}

}  // namespace

GraphParts::GraphParts(const Context& context, const Graph& graph, const Partition& partition)
    : graph_(graph), owners_(partition.owners) {
  invariant(static_cast<std::int64_t>(owners_.size()) == graph.nodes(), "every node has an owner");
  own_starts_.assign(at(partition.parts) + 1, 0);
  for (const std::int32_t owner : owners_) ++own_starts_[at(owner) + 1];
  std::inclusive_scan(own_starts_.begin(), own_starts_.end(), own_starts_.begin());
  by_owner_.resize(owners_.size());
  place_.resize(owners_.size());
  std::vector<std::int64_t> next(own_starts_.begin(), own_starts_.end() - 1);
  for (std::size_t u = 0; u < owners_.size(); ++u) {
    std::int64_t& end = next[at(owners_[u])];
    place_[u] = static_cast<std::int32_t>(end - own_starts_[at(owners_[u])]);
    by_owner_[at(end++)] = static_cast<std::int32_t>(u);
  }
  // Whom a node gathers from: its row, or where the edges to it come from.
  CsrMatrix gathered = graph.adjacency;
  if (graph.directed) {
    gathered.values = {};
    gathered = transpose(context, gathered);
  }
  halos_.resize(at(partition.parts));
  parallel_tasks(context, partition.parts, [&](std::int64_t part) {
    context.throw_if_stopped();
    halos_[at(part)] = find_halo(gathered, static_cast<int>(part));
  });
}

GraphParts::Halo GraphParts::find_halo(const CsrMatrix& gathered, int part) const {
  std::vector<bool> seen(owners_.size(), false);
  Halo halo;
  halo.starts.assign(at(parts()) + 1, 0);
  for (const std::int32_t u : own(part)) {
    for (const std::int32_t v : gathered.row(u)) {
      if (owners_[at(v)] == part || seen[at(v)]) continue;
      seen[at(v)] = true;
      halo.nodes.push_back(v);
      ++halo.starts[at(owners_[at(v)]) + 1];
    }
  }
  std::inclusive_scan(halo.starts.begin(), halo.starts.end(), halo.starts.begin());
  std::sort(halo.nodes.begin(), halo.nodes.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(owners_[at(a)], a) < std::pair(owners_[at(b)], b);
  });
  return halo;
}

std::span<const std::int32_t> GraphParts::own(int part) const {
  const std::int64_t first = own_starts_[at(part)];
  return std::span(by_owner_).subspan(at(first), at(own_starts_[at(part) + 1] - first));
}

std::span<const std::int32_t> GraphParts::halo_from(int part, int owner) const {
  const Halo& halo = halos_[at(part)];
  const std::int64_t first = halo.starts[at(owner)];
  return std::span(halo.nodes).subspan(at(first), at(halo.starts[at(owner) + 1] - first));
}

std::int64_t GraphParts::halo(int part) const {
  return static_cast<std::int64_t>(halos_[at(part)].nodes.size());
}

std::int32_t GraphParts::row_in(int part, std::int32_t node) const {
  const std::int32_t owner = owners_[at(node)];
  if (owner == part) return place_[at(node)];
  const std::span<const std::int32_t> candidates = halo_from(part, owner);
  const auto found = std::lower_bound(candidates.begin(), candidates.end(), node);
  invariant(found != candidates.end() && *found == node, "a neighbour is in the halo");
  return static_cast<std::int32_t>(static_cast<std::int64_t>(own(part).size()) +
                                   halos_[at(part)].starts[at(owner)] +
                                   (found - candidates.begin()));
}

CsrMatrix GraphParts::rows_of_own(const Context& context, int part) const {
  const CsrMatrix& a = graph_.adjacency;
  const std::span<const std::int32_t> nodes = own(part);
  const auto count = static_cast<std::int64_t>(nodes.size());
  const std::int64_t all = count + halo(part);
  Buffer<std::int64_t> offsets = detail::offsets_of(context, all, [&](std::int64_t r) {
    return r < count ? static_cast<std::int64_t>(a.row(nodes[at(r)]).size()) : 0;
  });
  return detail::fill_rows(context, all, std::move(offsets), !a.values.empty(),
                           [&](std::int64_t r, auto put) {
                             if (r >= count) return;
                             const std::int64_t u = nodes[at(r)];
                             for (std::int64_t e = a.offsets[u]; e < a.offsets[u + 1]; ++e) {
                               put(row_in(part, a.columns[e]), a.value(e));
                             }
                           });
}

CsrMatrix GraphParts::edges_to_own(const Context& context, int part,
                                   std::span<const std::int32_t> nodes) const {
  const CsrMatrix& a = graph_.adjacency;
  const auto all = static_cast<std::int64_t>(nodes.size());
  const auto to_own = [&](std::int64_t e) { return owners_[at(a.columns[e])] == part; };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, all, [&](std::int64_t r) {
    std::int64_t count = 0;
    const std::int64_t u = nodes[at(r)];
    for (std::int64_t e = a.offsets[u]; e < a.offsets[u + 1]; ++e) count += to_own(e) ? 1 : 0;
    return count;
  });
  return sort_rows(context, detail::fill_rows(context, all, std::move(offsets), !a.values.empty(),
                                              [&](std::int64_t r, auto put) {
                                                const std::int64_t u = nodes[at(r)];
                                                for (std::int64_t e = a.offsets[u];
                                                     e < a.offsets[u + 1]; ++e) {
                                                  if (!to_own(e)) continue;
                                                  put(place_[at(a.columns[e])], a.value(e));
                                                }
                                              }));
}

void GraphParts::add_sends(GraphPart& made, int part) const {
  Buffer<std::int64_t> offsets(parts() + 1);
  offsets[0] = 0;
  std::vector<std::int32_t> sent;
  for (int other = 0; other < parts(); ++other) {
    for (const std::int32_t node : halo_from(other, part)) sent.push_back(place_[at(node)]);
    offsets[other + 1] = static_cast<std::int64_t>(sent.size());
  }
  made.send_offsets = std::move(offsets);
  made.send_nodes = std::move(sent);
}

void GraphParts::add_splits(Graph& made, int part) const {
  const auto own_ones = [&](const Array<std::int32_t>& nodes) {
    std::vector<std::int32_t> kept;
    for (const std::int32_t node : nodes) {
      if (owners_[at(node)] == part) kept.push_back(place_[at(node)]);
    }
    return Array<std::int32_t>(std::move(kept));
  };
  for (const Split& split : graph_.splits) {
    made.splits.push_back({.name = split.name,
                           .train = own_ones(split.train),
                           .val = own_ones(split.val),
                           .test = own_ones(split.test)});
  }
}

GraphPart GraphParts::make(const Context& context, int part) const {
  const std::span<const std::int32_t> own_nodes = own(part);
  std::vector<std::int32_t> nodes(own_nodes.begin(), own_nodes.end());
  const Halo& halo = halos_[at(part)];
  nodes.insert(nodes.end(), halo.nodes.begin(), halo.nodes.end());

  GraphPart made;
  made.own = static_cast<std::int64_t>(own_nodes.size());
  made.graph.name = graph_.name;
  made.graph.directed = graph_.directed;
  made.graph.class_names = graph_.class_names;
  made.graph.adjacency =
      graph_.directed ? edges_to_own(context, part, nodes) : rows_of_own(context, part);
  made.graph.features = feature_rows_of(context, graph_.features, nodes);
  made.graph.names = names_of_nodes(graph_.names, nodes);
  if (graph_.has_labels()) {
    std::vector<std::int32_t> labels(nodes.size(), unlabelled);
    for (std::size_t i = 0; i < own_nodes.size(); ++i) labels[i] = graph_.labels[own_nodes[i]];
    made.graph.labels = std::move(labels);
  }
  add_splits(made.graph, part);
  add_sends(made, part);
  std::vector<std::int32_t> halo_owners;
  for (const std::int32_t node : halo.nodes) halo_owners.push_back(owners_[at(node)]);
  made.halo_owners = std::move(halo_owners);
  made.nodes = std::move(nodes);
  return made;
}

}  // namespace creg
