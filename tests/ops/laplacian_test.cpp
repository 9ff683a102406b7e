#include "ops/laplacian.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

#include "ops/csr.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::laplacian_test {
namespace {

/// Directed, with a node that all point to, one that points to all, and one without edges.
CsrMatrix uneven(std::int32_t nodes) {
  test::Edges edges;
  for (std::int32_t i = 1; i + 1 < nodes; ++i) {
    edges.emplace_back(0, i);
    if (i % 3 != 0) edges.emplace_back(i, nodes - 2);
    if (i * i % nodes < nodes - 1) edges.emplace_back(i, i * i % nodes);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return test::csr(nodes, edges);
}

at::Tensor dense(const CsrTensors& matrix) {
  const CsrMatrix host = host_csr(matrix);
  at::Tensor out = at::zeros({host.rows, host.cols}, at::kDouble);
  for (std::int64_t r = 0; r < host.rows; ++r) {
    for (std::int64_t e = host.offsets[r]; e < host.offsets[r + 1]; ++e) {
      out[r][host.columns[e]] = static_cast<double>(host.value(e));
    }
  }
  return out;
}

/// By the formulas of graph/normalise.h, with dense matrices.
at::Tensor reference(const CsrMatrix& adjacency, double alpha) {
  const std::int64_t n = adjacency.rows;
  at::Tensor p = at::eye(n, at::kDouble);
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int64_t e = adjacency.offsets[r]; e < adjacency.offsets[r + 1]; ++e) {
      p[r][adjacency.columns[e]] += 1.0;
    }
  }
  p = p / p.sum(1, true);
  const auto count = static_cast<double>(n);
  at::Tensor pi = at::full({n}, 1 / ((1 + alpha) * count), at::kDouble);
  at::Tensor before = at::zeros_like(pi);
  for (int i = 0; i < 100 && (pi - before).norm().item<double>() > 1e-6; ++i) {
    before = pi;
    pi = (1 - alpha) * p.t().mv(before) + alpha / count * before.sum();
  }
  pi = pi / pi.sum();
  const at::Tensor root = pi.sqrt();
  const at::Tensor way = root.unsqueeze(1) * p / root.unsqueeze(0);
  // What is not joined is 0 whatever the roots.
  const at::Tensor there = at::where(p > 0, way, at::zeros_like(p));
  at::Tensor l = (there + there.t()) / 2;
  l = at::where(l.isfinite(), l, at::zeros_like(l));
  const at::Tensor sums = l.sum(1);
  const at::Tensor scale = at::where(sums > 0, sums.rsqrt(), at::zeros_like(sums));
  return scale.unsqueeze(1) * l * scale.unsqueeze(0);
}

TEST(LaplacianSource, IsTheFormulaForOneTeleportProbabilityAfterTheOther) {
  const Context context = test::context();
  for (const std::int32_t nodes : {3, 70, 700}) {
    const CsrMatrix adjacency = uneven(nodes);
    const auto source = make_laplacian_source(context, csr_tensors(context, adjacency));
    // An iteration of 1 is over at once, one of 0.01 takes long; 1.7 makes entries of pi negative.
    for (const double alpha : {1.7, 1.0, 0.9, 0.1, 0.01, 1.7}) {
      const CsrTensors found = source->at(context, alpha);
      EXPECT_EQ(found.columns.device(), test::tensor_device());
      EXPECT_LT(test::distance(dense(found), reference(adjacency, alpha)), 2e-6)
          << nodes << " nodes, alpha " << alpha;
    }
  }
}

TEST(LaplacianSource, TheSameBytesEveryTime) {
  const Context context = test::context();
  const auto source = make_laplacian_source(context, csr_tensors(context, uneven(500)));
  EXPECT_TRUE(test::same_bytes(source->at(context, 0.4).values, source->at(context, 0.4).values));
}

}  // namespace
}  // namespace creg::laplacian_test
