#include "graph/centrality.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/rows/csr_rows.h"

namespace creg {
namespace {

constexpr double kept_share = 0.15;
constexpr double centrality_tolerance = 1e-10;
constexpr int centrality_iterations = 2000;

/// The pattern alone, by the nodes that edges lead to.
CsrMatrix incoming_pattern(const Context& context, CsrMatrix adjacency) {
  invariant(adjacency.rows == adjacency.cols, "an adjacency is square");
  adjacency.values = {};
  return transpose(context, adjacency);
}

}  // namespace

std::vector<double> degree_centrality(const Context& context, const CsrMatrix& adjacency) {
  const CsrMatrix in = incoming_pattern(context, adjacency);
  const CsrMatrix out = transpose(context, in);  // ascending columns
  std::vector<double> degrees(static_cast<std::size_t>(out.rows), 0);
  detail::for_rows(context, out.rows, [&](std::int64_t r) {
    const auto one = out.row(r);
    const auto other = in.row(r);
    std::size_t a = 0;
    std::size_t b = 0;
    std::int64_t count = 0;
    while (a < one.size() || b < other.size()) {
      const std::int32_t next = a == one.size()     ? other[b]
                                : b == other.size() ? one[a]
                                                    : std::min(one[a], other[b]);
      while (a < one.size() && one[a] == next) ++a;
      while (b < other.size() && other[b] == next) ++b;
      ++count;
    }
    degrees[static_cast<std::size_t>(r)] = static_cast<double>(count);
  });
  return degrees;
}

std::vector<double> pagerank_centrality(const Context& context, const CsrMatrix& adjacency,
                                        int iterations) {
  const CsrMatrix in = incoming_pattern(context, adjacency);
  const auto n = static_cast<std::size_t>(in.rows);
  std::vector<double> x(n, 1);
  std::vector<double> shares(n, 0);
  for (int i = 0; i < iterations; ++i) {
    detail::for_rows(context, in.rows, [&](std::int64_t j) {
      const std::int64_t out = adjacency.offsets[j + 1] - adjacency.offsets[j];
      const auto at = static_cast<std::size_t>(j);
      shares[at] = out == 0 ? 0 : x[at] / static_cast<double>(out);
    });
    detail::for_rows(context, in.rows, [&](std::int64_t r) {
      double sum = 0;
      for (const std::int32_t j : in.row(r)) sum += shares[static_cast<std::size_t>(j)];
      double& value = x[static_cast<std::size_t>(r)];
      value = kept_share * value + (1 - kept_share) * sum;
    });
  }
  return x;
}

std::vector<double> eigenvector_centrality(const Context& context, const CsrMatrix& adjacency) {
  const CsrMatrix in = incoming_pattern(context, adjacency);
  const auto n = static_cast<std::size_t>(in.rows);
  if (n == 0) return {};
  std::vector<double> x(n, 1 / std::sqrt(static_cast<double>(n)));
  std::vector<double> next(n, 0);
  for (int i = 0; i < centrality_iterations; ++i) {
    detail::for_rows(context, in.rows, [&](std::int64_t r) {
      double sum = x[static_cast<std::size_t>(r)];
      for (const std::int32_t j : in.row(r)) sum += x[static_cast<std::size_t>(j)];
      next[static_cast<std::size_t>(r)] = sum;
    });
    double squares = 0;
    for (const double value : next) squares += value * value;
    const double scale = 1 / std::sqrt(squares);
    double change = 0;
    for (std::size_t r = 0; r < n; ++r) {
      next[r] *= scale;
      change += (next[r] - x[r]) * (next[r] - x[r]);
    }
    std::swap(x, next);
    if (std::sqrt(change) <= centrality_tolerance) break;
  }
  return x;
}

}  // namespace creg
