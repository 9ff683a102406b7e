// Features of a graph that has none, made of its structure.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "learn/symmetric_eigen.h"

namespace creg {

/// Eigenpairs of Â = D^-1/2 (A + I) D^-1/2.
struct StructureEigen {
  std::int64_t columns = 0;
  std::vector<double> values;   ///< the largest first
  std::vector<double> vectors;  ///< nodes x columns, row-major; columns of length 1
};

/// Those of the `columns` largest eigenvalues, 1 to N of them. Every edge counts in both
/// directions and by the size of its weight; a node without edges has its loop alone.
///
/// By subspace iteration with Chebyshev polynomials in double, from random vectors that depend on
/// no seed, until each residual is below 1e-5 or after some 64 products with Â. Memory: twice
/// N x (columns + 32) doubles. The basis within equal eigenvalues, and so the sign of each vector,
/// is fixed by random vectors too: no rounding decides it, and the result does not depend on the
/// number of threads.
StructureEigen structure_eigen(const Context& context, const Graph& graph, std::int64_t columns,
                               const learn::EigenSolver& solver);

/// How many columns a graph of so many nodes gets where so many are asked for.
std::int64_t structure_columns(std::int64_t nodes, std::int64_t asked);

/// What making them takes beside the graph and them.
std::int64_t structure_bytes(std::int64_t nodes, std::int64_t entries, std::int64_t columns);

/// 4 V sqrt(mean of λ^t over t = 1 … 10) sqrt(N / columns): the products of two rows are what walks
/// of up to 10 steps say of two nodes, as far as the strongest eigenvectors know, and rows are 4
/// long at most, on average. (Of 1, 2, 4 and 8 the best on validation nodes of Cora and Wiki.) As
/// many columns as structure_columns says.
///
/// The eigenvalue 1 has a vector per component. Where these would be more than three quarters of
/// the columns, a quarter of the columns are random mixtures of them all, and the other columns are
/// of the largest eigenvalues below 1.
DenseMatrix structure_features(const Context& context, const Graph& graph, std::int64_t columns,
                               const learn::EigenSolver& solver);

}  // namespace creg
