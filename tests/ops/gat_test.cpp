#include "ops/gat.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <cstring>

#include "creg/core/random.h"
#include "graph/normalise.h"
#include "ops/runtime.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace creg::gat_test {
namespace {

using test::expect_matches;
using test::irregular;
using test::Tensors;

SparseMatrix pattern_of(const CsrMatrix& matrix,
                        SparseMatrix::Shape shape = SparseMatrix::Shape::general) {
  return {test::context(), matrix, shape, SparseMatrix::Entries::linked};
}

/// Directed, with a repeated edge, a node that nothing reaches and one that reaches nothing.
CsrMatrix small_graph() {
  return test::csr(6, {{0, 0},
                       {0, 1},
                       {0, 5},
                       {0, 1},
                       {1, 1},
                       {1, 0},
                       {2, 1},
                       {2, 2},
                       {2, 3},
                       {2, 4},
                       {2, 5},
                       {2, 0},
                       {3, 2},
                       {5, 5}});
}

CsrMatrix random_graph(std::int32_t nodes, std::uint64_t degree) {
  test::Edges edges;
  RandomStream stream(3, Purpose::test);
  for (std::int32_t i = 0; i < nodes; ++i) {
    edges.emplace_back(i, i);
    const std::uint64_t count = i == 0 ? 20 * degree : stream.below(2 * degree);
    for (std::uint64_t d = 0; d < count; ++d) {
      edges.emplace_back(
          i, static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes))));
    }
  }
  return test::csr(nodes, edges);
}

/// Inputs as the op wants them.
Tensors there(const Tensors& inputs) {
  Tensors out;
  for (const at::Tensor& input : inputs) out.push_back(test::on(input));
  return out;
}

/// Node by node and head by head with plain operations on the CPU, in the type of its inputs.
at::Tensor reference(const CsrMatrix& graph, const Tensors& inputs, const GatOptions& options) {
  at::Tensor z = inputs[0];
  if (options.order.defined()) z = z.index_select(0, options.order.to(at::kLong));
  const std::int64_t heads = inputs[1].size(0);
  const std::int64_t channels = inputs[1].size(1);
  const at::Tensor by_head = z.reshape({z.size(0), heads, channels});
  at::Tensor out = at::zeros({graph.rows, heads, channels}, z.options());
  for (std::int64_t i = 0; i < graph.rows; ++i) {
    const auto row = graph.row(i);
    if (row.empty()) continue;
    const at::Tensor columns =
        at::tensor(std::vector<std::int64_t>(row.begin(), row.end()), at::kLong);
    const at::Tensor sources = by_head.index_select(0, columns);
    const at::Tensor scores =
        (sources * inputs[1]).sum(2) + (by_head[i] * inputs[2]).sum(1).unsqueeze(0);
    at::Tensor weights = at::leaky_relu(scores, options.negative_slope).softmax(0);
    if (options.mask.defined()) {
      weights = weights * options.mask.narrow(0, graph.offsets[i], columns.numel());
    }
    out[i] = (weights.unsqueeze(2) * sources).sum(0);
  }
  return out.reshape({graph.rows, heads * channels});
}

void expect_attention(const CsrMatrix& graph, const Tensors& inputs, const GatOptions& options = {},
                      SparseMatrix::Shape shape = SparseMatrix::Shape::general) {
  prepare_torch(test::context({.threads = 1}));
  const SparseMatrix pattern = pattern_of(graph, shape);
  GatOptions moved = options;
  moved.order = test::on(options.order);
  moved.mask = test::on(options.mask);
  expect_matches(
      [&](const Tensors& in) { return gat_aggregate(pattern, in[0], in[1], in[2], moved); },
      [&](const Tensors& in) { return reference(graph, in, options); }, inputs);
}

Tensors some_inputs(std::int64_t nodes, std::int64_t heads, std::int64_t channels) {
  return {irregular({nodes, heads * channels}, 1), irregular({heads, channels}, 2),
          irregular({heads, channels}, 4)};
}

TEST(Gat, MatchesTheFormulaForAllHeadsAndWidths) {
  for (const auto& [heads, channels] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 5}, {4, 3}, {3, 17}}) {
    SCOPED_TRACE(std::to_string(heads) + " heads of " + std::to_string(channels));
    expect_attention(small_graph(), some_inputs(6, heads, channels));
  }
}

TEST(Gat, UndirectedGraphsShareOneOrientation) {
  const CsrMatrix graph = test::csr(
      5, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 3}, {3, 1}, {1, 3}, {4, 4}});
  expect_attention(graph, some_inputs(5, 2, 3), {}, SparseMatrix::Shape::symmetric);
}

TEST(Gat, OneNode) {
  expect_attention(test::csr(1, {{0, 0}}), some_inputs(1, 2, 2));
  expect_attention(test::csr(1, {}), some_inputs(1, 2, 2));
}

TEST(Gat, FewerTargetsThanSources) {
  CsrMatrix graph = test::csr(6, {{0, 0}, {0, 4}, {1, 1}, {1, 5}, {1, 2}});
  graph.rows = 2;
  graph.offsets = std::vector<std::int64_t>{0, 2, 5};
  expect_attention(graph, some_inputs(6, 2, 3));
}

TEST(Gat, PermutedRowsEqualAPermutedInput) {
  const CsrMatrix graph = small_graph();
  const at::Tensor order = at::tensor({3, 0, 5, 1, 4, 2}, at::kInt);
  expect_attention(graph, some_inputs(6, 2, 3), {.order = order});

  const Tensors in = there(some_inputs(6, 2, 3));
  const at::Tensor moved = test::on(order);
  const SparseMatrix pattern = pattern_of(graph);
  EXPECT_TRUE(test::equal(gat_aggregate(pattern, in[0], in[1], in[2], {.order = moved}),
                          gat_aggregate(pattern, in[0].index_select(0, moved), in[1], in[2])));
}

TEST(Gat, MaskedWeightsAreNotNormalisedAgain) {
  const CsrMatrix graph = small_graph();
  const at::Tensor mask = irregular({graph.nonzeros(), 2}).gt(-0.2).to(at::kFloat) * 1.5;
  expect_attention(graph, some_inputs(6, 2, 3), {.mask = mask});
}

TEST(Gat, AnotherSlope) {
  expect_attention(small_graph(), some_inputs(6, 2, 3), {.negative_slope = 0.5F});
}

TEST(Gat, LargeScoresStayFinite) {
  Tensors inputs = some_inputs(6, 2, 3);
  inputs[1] = inputs[1] * 3000;
  inputs[2] = inputs[2] * 3000;
  const CsrMatrix graph = small_graph();
  const Tensors in = there(inputs);
  const at::Tensor out = gat_aggregate(pattern_of(graph), in[0], in[1], in[2]);
  Tensors exact;
  for (const at::Tensor& input : inputs) exact.push_back(input.to(at::kDouble));
  // The scores themselves are rounded to about 1e-4 here.
  EXPECT_LT(test::distance(out, reference(graph, exact, {})), 2e-3);
  EXPECT_TRUE(out.isfinite().all().item<bool>());
}

TEST(Gat, WeightsOfLongRowsAddUpToOne) {
  const std::int32_t nodes = 5000;
  test::Edges edges;
  for (std::int32_t j = 0; j < nodes; ++j) edges.emplace_back(0, j);
  at::Tensor z = irregular({nodes, 4}) * 10;
  z.narrow(1, 3, 1).fill_(1);
  const at::Tensor att = test::on(at::tensor({1.0F, -1.0F, 0.5F, 0.0F}).reshape({1, 4}));
  const at::Tensor out = gat_aggregate(pattern_of(test::csr(nodes, edges)), test::on(z), att, att);
  EXPECT_NEAR(out[0][3].item<double>(), 1, 1e-5);
}

TEST(Gat, DoesNotDependOnTheNumberOfThreads) {
  const CsrMatrix graph = random_graph(1500, 6);
  const SparseMatrix pattern = pattern_of(graph);
  Tensors first;
  for (const int threads : {1, 2, 3}) {
    prepare_torch(test::context({.threads = threads}));
    Tensors leaves = there(some_inputs(1500, 4, 8));
    for (at::Tensor& leaf : leaves) leaf.set_requires_grad(true);
    const at::Tensor out = gat_aggregate(pattern, leaves[0], leaves[1], leaves[2]);
    (out * test::on(irregular({1500, 32}, 9))).sum().backward();
    const Tensors now = {out.detach(), leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
    if (threads == 1) {
      first = now;
      Tensors exact;
      for (const at::Tensor& leaf : leaves) exact.push_back(test::on_host(leaf).to(at::kDouble));
      EXPECT_LT(test::distance(now[0], reference(graph, exact, {})), 2e-5);
      continue;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_TRUE(test::equal(now[i], first[i])) << "result " << i << ", threads " << threads;
    }
  }
}

TEST(Gat, NeedsNoGradientAndTakesViews) {
  const CsrMatrix graph = small_graph();
  const Tensors inputs = there(some_inputs(6, 2, 3));
  const at::Tensor view = test::on(irregular({6, 6}, 1)).t().contiguous().t();
  const SparseMatrix pattern = pattern_of(graph);
  const at::Tensor out = gat_aggregate(pattern, view, inputs[1], inputs[2]);
  EXPECT_FALSE(out.requires_grad());
  EXPECT_TRUE(test::equal(out, gat_aggregate(pattern, view.contiguous(), inputs[1], inputs[2])));
}

TEST(Gat, ASecondBackwardPassIsRefused) {
  Tensors in = there(some_inputs(6, 2, 3));
  in[0].set_requires_grad(true);
  const at::Tensor sum = gat_aggregate(pattern_of(small_graph()), in[0], in[1], in[2]).sum();
  sum.backward();
  EXPECT_THROW(sum.backward(), c10::Error);
}

TEST(Gat, HasNoSecondDerivative) {
  const SparseMatrix pattern = pattern_of(small_graph());
  test::expect_no_second_derivative(
      [&](const Tensors& in) { return gat_aggregate(pattern, in[0], in[1], in[2]); },
      some_inputs(6, 2, 3));
}

TEST(Gat, RefusesShapesThatDoNotFit) {
  const Tensors in = there(some_inputs(6, 2, 3));
  const SparseMatrix pattern = pattern_of(small_graph());
  EXPECT_THROW(gat_aggregate(pattern, test::on(irregular({5, 6})), in[1], in[2]), c10::Error);
  EXPECT_THROW(gat_aggregate(pattern, test::on(irregular({6, 7})), in[1], in[2]), c10::Error);
  EXPECT_THROW(gat_aggregate(pattern, in[0], in[1], test::on(irregular({3, 2}))), c10::Error);
  EXPECT_THROW(gat_aggregate(pattern, in[0], in[1], in[2],
                             {.order = at::zeros({5}, test::options(at::kInt))}),
               c10::Error);
  EXPECT_THROW(gat_aggregate(pattern, in[0], in[1], in[2],
                             {.mask = at::zeros({5, 2}, test::options(at::kFloat))}),
               c10::Error);
  const SparseMatrix unlinked(test::context(), small_graph());
  EXPECT_THROW(gat_aggregate(unlinked, in[0], in[1], in[2]), c10::Error);
}

}  // namespace
}  // namespace creg::gat_test
