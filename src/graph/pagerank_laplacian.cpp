#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/normalise.h"
#include "graph/rows/csr_rows.h"

namespace creg {
namespace {

std::vector<double> pagerank(const Context& context, const PagerankWalk& walk, double alpha) {
  if (!(alpha > -1) || !std::isfinite(alpha)) {
    fail_input({.what = "teleport probability out of range",
                .found = std::to_string(alpha),
                .expected = "a finite number above -1"});
  }
  const auto n = static_cast<std::size_t>(walk.nodes);
  if (n == 0) return {};
  const auto count = static_cast<double>(n);
  std::vector<double> pi(n, 1 / ((1 + alpha) * count));
  std::vector<double> previous(n, 0);
  const auto change = [&] {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += (pi[i] - previous[i]) * (pi[i] - previous[i]);
    return std::sqrt(squares);
  };
  for (int i = 0; i < pagerank_iterations && change() > pagerank_tolerance; ++i) {
    std::swap(pi, previous);
    const double teleport = alpha / count * std::accumulate(previous.begin(), previous.end(), 0.0);
    detail::for_rows(context, walk.nodes, [&](std::int64_t r) {
      double sum = 0;
      for (std::int64_t e = walk.in_offsets[r]; e < walk.in_offsets[r + 1]; ++e) {
        sum += walk.in_chances[e] * previous[static_cast<std::size_t>(walk.in_nodes[e])];
      }
      pi[static_cast<std::size_t>(r)] = (1 - alpha) * sum + teleport;
    });
  }
  const double total = std::accumulate(pi.begin(), pi.end(), 0.0);
  for (double& p : pi) p /= total;
  return pi;
}

}  // namespace

PagerankWalk pagerank_walk(const Context& context, const CsrMatrix& adjacency) {
  const CsrMatrix out = with_self_loops(context, adjacency, SelfLoops::plus_one);
  const CsrMatrix in = transpose(context, out);
  Buffer<double> sums(out.rows);
  detail::for_rows(context, out.rows, [&](std::int64_t r) {
    sums[r] = 0;
    for (std::int64_t e = out.offsets[r]; e < out.offsets[r + 1]; ++e) sums[r] += out.value(e);
  });
  // w / out, and 0 from a node whose weights cancel out.
  const auto chance = [&](std::int64_t from, float weight) {
    return sums[from] == 0 ? 0 : weight / sums[from];
  };
  Buffer<double> in_chances(in.nonzeros());
  detail::for_rows(context, in.rows, [&](std::int64_t r) {
    for (std::int64_t e = in.offsets[r]; e < in.offsets[r + 1]; ++e) {
      in_chances[e] = chance(in.columns[e], in.value(e));
    }
  });
  // Walks the union of row i of P and of P^T.
  const auto walk_row = [&](std::int64_t i, auto visit) {
    std::int64_t a = out.offsets[i];
    std::int64_t b = in.offsets[i];
    while (a < out.offsets[i + 1] || b < in.offsets[i + 1]) {
      const bool forward =
          a < out.offsets[i + 1] && (b >= in.offsets[i + 1] || out.columns[a] <= in.columns[b]);
      const bool backward =
          b < in.offsets[i + 1] && (a >= out.offsets[i + 1] || in.columns[b] <= out.columns[a]);
      const std::int32_t j = forward ? out.columns[a] : in.columns[b];
      visit(j, forward ? chance(i, out.value(a)) : std::nan(""),
            backward ? chance(j, in.value(b)) : std::nan(""));
      a += forward ? 1 : 0;
      b += backward ? 1 : 0;
    }
  };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, out.rows, [&](std::int64_t i) {
    std::int64_t count = 0;
    walk_row(i, [&](std::int32_t, double, double) { ++count; });
    return count;
  });
  Buffer<std::int32_t> nodes(offsets[out.rows]);
  Buffer<double> there(offsets[out.rows]);
  Buffer<double> back(offsets[out.rows]);
  detail::for_rows(context, out.rows, [&](std::int64_t i) {
    std::int64_t next = offsets[i];
    walk_row(i, [&](std::int32_t j, double forward, double backward) {
      nodes[next] = j;
      there[next] = forward;
      back[next] = backward;
      ++next;
    });
  });
  return {.nodes = out.rows,
          .in_offsets = in.offsets,
          .in_nodes = in.columns,
          .in_chances = std::move(in_chances),
          .offsets = std::move(offsets),
          .joined = std::move(nodes),
          .there = std::move(there),
          .back = std::move(back)};
}

std::vector<double> personalised_pagerank(const Context& context, const CsrMatrix& adjacency,
                                          double alpha) {
  return pagerank(context, pagerank_walk(context, adjacency), alpha);
}

CsrMatrix pagerank_laplacian(const Context& context, const CsrMatrix& adjacency, double alpha) {
  return pagerank_laplacian(context, pagerank_walk(context, adjacency), alpha);
}

CsrMatrix pagerank_laplacian(const Context& context, const PagerankWalk& walk, double alpha) {
  const std::vector<double> pi = pagerank(context, walk, alpha);
  // One of the two terms of L at (i, j); a root of a negative number is not one and makes L_ij 0.
  const auto term = [&](std::int64_t at, std::int64_t other, double p) {
    if (std::isnan(p)) return 0.0;
    return std::sqrt(pi[static_cast<std::size_t>(at)]) * p /
           std::sqrt(pi[static_cast<std::size_t>(other)]);
  };
  const auto value = [&](std::int64_t i, std::int64_t e) {
    const std::int32_t j = walk.joined[e];
    const double sum = term(i, j, walk.there[e]) + term(j, i, walk.back[e]);
    return std::isfinite(sum) ? sum / 2 : 0.0;
  };
  Buffer<double> scale(walk.nodes);
  detail::for_rows(context, walk.nodes, [&](std::int64_t i) {
    double sum = 0;
    for (std::int64_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) sum += value(i, e);
    scale[i] = sum > 0 ? 1 / std::sqrt(sum) : 0;
  });
  Buffer<float> values(walk.joined.size());
  detail::for_rows(context, walk.nodes, [&](std::int64_t i) {
    for (std::int64_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
      values[e] = static_cast<float>(scale[i] * value(i, e) * scale[walk.joined[e]]);
    }
  });
  return {.rows = walk.nodes,
          .cols = walk.nodes,
          .offsets = walk.offsets,
          .columns = walk.joined,
          .values = std::move(values)};
}

}  // namespace creg
