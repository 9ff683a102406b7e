// Weighted propagation matrices of a graph.
//
// An adjacency's row u lists every v with u -> v. A propagation matrix M is applied as H' = M H,
// and messages follow the edges: row i of M aggregates over the IN-neighbours j -> i of node i,
// so M has the pattern of the transposed adjacency. For an undirected graph with both directions
// stored that is the same. Repeated entries count as often as they are stored; columns ascend in
// every result, and every result has values. Sums are taken in double.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/self_loops.h"

namespace creg {

enum class Neighbours { in, out };

/// The adjacency with its loops changed, as a matrix with values and in its own orientation: row u
/// lists every v with u -> v.
CsrMatrix with_self_loops(const Context& context, const CsrMatrix& adjacency, SelfLoops loops);

/// Â = D^-1/2 (A+I) D^-1/2: the weight of edge j -> i times d_j^-1/2 d_i^-1/2, with d the sums of
/// incoming weights, loops included. A node of degree 0 gets 0; a negative degree is an input
/// error.
CsrMatrix gcn_normalised(const Context& context, const CsrMatrix& adjacency,
                         SelfLoops loops = SelfLoops::missing);

/// D^-1 A: row i is the mean over its neighbours, by weight. `in` averages over j -> i (GMI without
/// loops, SAGE-gcn with them); `out` over i -> j (a random walk's steps). Rows that sum to 0 stay.
CsrMatrix row_normalised(const Context& context, const CsrMatrix& adjacency, SelfLoops loops,
                         Neighbours neighbours = Neighbours::in);

/// G = (I + Â) / 2 with Â of A + I: one step of AGC's low-pass filter.
CsrMatrix low_pass_filter(const Context& context, const CsrMatrix& adjacency,
                          SelfLoops loops = SelfLoops::plus_one);

/// DiGCL's Laplacian of a directed graph for teleport probability alpha > -1. With P = D_out^-1
/// (A+I) and pi the personalised PageRank, L = (Pi^1/2 P Pi^-1/2 + Pi^-1/2 P^T Pi^1/2) / 2, then
/// L_ij / sqrt(rowsum_i rowsum_j). Symmetric. An alpha above 1 can make entries of pi negative:
/// what is not a number then becomes a stored 0. A GCN layer normalises the result once more:
/// call gcn_normalised on it.
CsrMatrix pagerank_laplacian(const Context& context, const CsrMatrix& adjacency, double alpha);

/// What the Laplacians of one graph have in common, whatever alpha is. Not a number: there is no
/// such entry of P.
struct PagerankWalk {
  std::int64_t nodes = 0;
  Array<std::int64_t> in_offsets;  ///< of P^T: row i lists who leads to node i
  Array<std::int32_t> in_nodes;
  Array<double> in_chances;
  Array<std::int64_t> offsets;  ///< of L: row i lists whom either leads to
  Array<std::int32_t> joined;
  Array<double> there;  ///< P_ij of the entry (i, j)
  Array<double> back;   ///< P_ji
};
PagerankWalk pagerank_walk(const Context& context, const CsrMatrix& adjacency);
CsrMatrix pagerank_laplacian(const Context& context, const PagerankWalk& walk, double alpha);

/// How the power iteration below ends.
inline constexpr double pagerank_tolerance = 1e-6;
inline constexpr int pagerank_iterations = 100;

/// The PageRank in it: power iteration of pi = (1-alpha) P^T pi + (alpha/n)(sum pi) 1 from the
/// uniform 1/((1+alpha) n), until a step changes it by no more than 1e-6 (Euclidean) or 100 times;
/// then scaled to sum 1.
std::vector<double> personalised_pagerank(const Context& context, const CsrMatrix& adjacency,
                                          double alpha);

}  // namespace creg
