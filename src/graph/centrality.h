// How central nodes are, by several measures. Rows and columns count as stored; weights do not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"

namespace creg {

enum class Centrality { degree, pagerank, eigenvector };
template <>
struct EnumNames<Centrality> {
  static constexpr std::array<std::string_view, 3> names = {"degree", "pagerank", "eigenvector"};
};

/// How many nodes each is joined with, whichever way the edges go; a loop joins a node with itself.
std::vector<double> degree_centrality(const Context& context, const CsrMatrix& adjacency);

/// PageRank as GCA has it, without teleport: from x = 1, `iterations` times
/// x_i <- 0.15 x_i + 0.85 * sum over j -> i of x_j / (edges out of j).
std::vector<double> pagerank_centrality(const Context& context, const CsrMatrix& adjacency,
                                        int iterations);

/// The vector of length 1 and no negative entry with x_i proportional to the sum of x_j over
/// j -> i, for the largest factor: power iteration of A^T + I from the uniform vector, until a step
/// changes it by no more than 1e-10 or 2,000 times. The loops keep the walk of a bipartite graph
/// from going to and fro. A component whose own largest factor is smaller than another's goes to 0;
/// components with the same one keep their shares of the uniform start.
std::vector<double> eigenvector_centrality(const Context& context, const CsrMatrix& adjacency);

}  // namespace creg
