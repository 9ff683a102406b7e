// Which part of a graph a node belongs to when several processes share it: parts of about equal
// size, joined by few edges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"

namespace creg {

enum class PartitionMethod {
  automatic,  ///< the first of the others that this build has and that fits into memory
  metis,      ///< counts edges by 32 bits
  scotch,     ///< by 64 bits
  streaming,  ///< built in: passes over the edges, and little memory beside them
};
template <>
struct EnumNames<PartitionMethod> {
  static constexpr std::array<std::string_view, 4> names = {"auto", "metis", "scotch", "streaming"};
};

inline constexpr int most_parts = 1024;

struct PartitionOptions {
  int parts = 1;  ///< 1 to most_parts, and no more than there are nodes
  PartitionMethod method = PartitionMethod::automatic;
  double slack = 0.03;  ///< a part may have so much more than its share of the nodes
};

struct Partition {
  int parts = 1;
  PartitionMethod method = PartitionMethod::streaming;  ///< that was taken
  std::vector<std::int32_t> owners;                     ///< the part of each node
};

/// Whether this build has the method, and whether it can count that many adjacency entries.
bool has_partition_method(PartitionMethod method);
bool partition_method_counts(PartitionMethod method, std::int64_t entries);

/// An input error where the number of parts is out of range for any graph, or this build does not
/// have the method: for commands that have a graph to read first.
void check_partition_options(const PartitionOptions& options);

/// Bytes that the method takes at most beside the graph.
std::int64_t partition_bytes(PartitionMethod method, const GraphSize& size);

/// What `automatic` stands for when so much memory is left; an environment error that names the
/// limit where a method does not fit, an input error where this build does not have it.
PartitionMethod choose_partition_method(PartitionMethod asked, const GraphSize& size);

/// Every node to one part, none of them empty. Edges count once, whatever their direction, weight
/// and repeats; loops do not count. The same for a seed (the context's) on any number of threads.
/// More parts than nodes are an input error. METIS and Scotch may miss the slack by a little.
Partition partition_nodes(const Context& context, const Graph& graph,
                          const PartitionOptions& options);

/// Adjacency entries whose two ends belong to different parts.
std::int64_t cut_entries(const Context& context, const CsrMatrix& adjacency,
                         std::span<const std::int32_t> owners);

/// Nodes of each part.
std::vector<std::int64_t> part_sizes(std::span<const std::int32_t> owners, int parts);

}  // namespace creg
