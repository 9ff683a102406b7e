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

constexpr double pagerank_tolerance = 1e-6;
constexpr int pagerank_iterations = 100;

struct Walk {
  CsrMatrix counts;         // A + I
  std::vector<double> out;  // its row sums
};

Walk make_walk(const Context& context, const CsrMatrix& adjacency) {
  Walk walk{.counts = with_self_loops(context, adjacency, SelfLoops::plus_one),
            .out = std::vector<double>(static_cast<std::size_t>(adjacency.rows), 0)};
  for (std::int64_t r = 0; r < adjacency.rows; ++r) {
    for (std::int64_t e = walk.counts.offsets[r]; e < walk.counts.offsets[r + 1]; ++e) {
      walk.out[static_cast<std::size_t>(r)] += walk.counts.value(e);
    }
  }
  return walk;
}

// w / out, and 0 from a node whose weights cancel out.
double step(const Walk& walk, std::int64_t from, float weight) {
  const double out = walk.out[static_cast<std::size_t>(from)];
  return out == 0 ? 0 : weight / out;
}

std::vector<double> pagerank(const Context& context, const Walk& walk, double alpha) {
  if (!(alpha > -1) || !std::isfinite(alpha)) {
    fail_input({.what = "teleport probability out of range",
                .found = std::to_string(alpha),
                .expected = "a finite number above -1"});
  }
  const std::size_t n = walk.out.size();
  if (n == 0) return {};
  const auto count = static_cast<double>(n);
  const CsrMatrix incoming = transpose(context, walk.counts);
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
    detail::for_rows(context, incoming.rows, [&](std::int64_t r) {
      double sum = 0;
      for (std::int64_t e = incoming.offsets[r]; e < incoming.offsets[r + 1]; ++e) {
        const std::int32_t from = incoming.columns[e];
        sum += step(walk, from, incoming.value(e)) * previous[static_cast<std::size_t>(from)];
      }
      pi[static_cast<std::size_t>(r)] = (1 - alpha) * sum + teleport;
    });
  }
  const double total = std::accumulate(pi.begin(), pi.end(), 0.0);
  for (double& p : pi) p /= total;
  return pi;
}

}  // namespace

std::vector<double> personalised_pagerank(const Context& context, const CsrMatrix& adjacency,
                                          double alpha) {
  return pagerank(context, make_walk(context, adjacency), alpha);
}

CsrMatrix pagerank_laplacian(const Context& context, const CsrMatrix& adjacency, double alpha) {
  const Walk walk = make_walk(context, adjacency);
  const std::vector<double> pi = pagerank(context, walk, alpha);
  const CsrMatrix& out = walk.counts;
  const CsrMatrix in = transpose(context, out);
  // One of the two terms of L at (i, j); a root of a negative number is not one and makes L_ij 0.
  const auto term = [&](std::int64_t at, std::int64_t other, double p) {
    return std::sqrt(pi[static_cast<std::size_t>(at)]) * p /
           std::sqrt(pi[static_cast<std::size_t>(other)]);
  };
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
      double sum = 0;
      if (forward) sum += term(i, j, step(walk, i, out.value(a)));
      if (backward) sum += term(j, i, step(walk, j, in.value(b)));
      visit(j, std::isfinite(sum) ? sum / 2 : 0.0);
      a += forward ? 1 : 0;
      b += backward ? 1 : 0;
    }
  };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, out.rows, [&](std::int64_t i) {
    std::int64_t count = 0;
    walk_row(i, [&](std::int32_t, double) { ++count; });
    return count;
  });
  Buffer<double> scale(out.rows);
  detail::for_rows(context, out.rows, [&](std::int64_t i) {
    double sum = 0;
    walk_row(i, [&](std::int32_t, double value) { sum += value; });
    scale[i] = sum > 0 ? 1 / std::sqrt(sum) : 0;
  });
  return detail::fill_rows(context, out.cols, std::move(offsets), true,
                           [&](std::int64_t i, auto put) {
                             walk_row(i, [&](std::int32_t j, double value) {
                               put(j, static_cast<float>(scale[i] * value * scale[j]));
                             });
                           });
}

}  // namespace creg
