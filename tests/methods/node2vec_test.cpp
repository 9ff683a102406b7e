#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>

#include "creg/methods/method.h"
#include "graph/random_walks.h"
#include "methods/tiny_model.h"
#include "ops/adam.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/gradients.h"

namespace creg::node2vec_test {
namespace {

/// A free vector for every node, whatever the graph and the features.
class Table final : public Encoder {
 public:
  explicit Table(at::Tensor rows) : rows_(std::move(rows)) {}
  at::Tensor multiply(const FeatureMatrix& /*features*/) const override { return rows_; }
  std::int64_t first_width() const override { return rows_.size(1); }
  Projected project(const FeatureMatrix& /*features*/, const Hops& /*hops*/,
                    const EncoderPass& /*pass*/) const override {
    return {rows_};
  }
  at::Tensor propagate(const Hops& /*hops*/, const Projected& projected,
                       const EncoderPass& /*pass*/) const override {
    return projected.rows;
  }

 private:
  at::Tensor rows_;
};

struct WalkOptions {
  int length = 20;
  int context = 10;
  int per_node = 10;
  double p = 1;
  double q = 1;
};

struct TinyWalks {
  TinyWalks(Graph made, const at::Tensor& start, const WalkOptions& walks,
            const ContrastOptions& contrast = {})
      : graph(std::move(made)),
        table(test::on(start).clone().set_requires_grad(true)),
        encoder(table),
        inputs(test::context(), graph, EncoderOptions{}),
        method(find_method("node2vec")
                   .make({.contrast = contrast,
                          .own = test::own_settings("node2vec",
                                                    {{"walk_length", std::to_string(walks.length)},
                                                     {"context", std::to_string(walks.context)},
                                                     {"walks", std::to_string(walks.per_node)},
                                                     {"p", std::to_string(walks.p)},
                                                     {"q", std::to_string(walks.q)}}),
                          .dim = start.size(1)},
                         parameters)) {}

  EpochLoss loss(std::uint32_t epoch) {
    EpochPass pass(context, inputs, encoder,
                   {.seed = 5, .epoch = static_cast<int>(epoch), .step = epoch});
    return method->loss(pass);
  }

  Context context = test::context();
  Graph graph;
  at::Tensor table;
  Table encoder;
  GraphInputs inputs;
  ParameterList parameters{3, test::tensor_device()};
  std::unique_ptr<Method> method;
};

/// The loss from its definition, window by window.
at::Tensor reference(const Graph& graph, const std::vector<std::int32_t>& starts,
                     const WalkOptions& options, std::uint32_t epoch, const at::Tensor& table) {
  const Walks walks = RandomWalker(Context(), graph.adjacency, options.p, options.q)
                          .walk(Context(), starts, options.per_node, options.length, 5, epoch);
  at::Tensor near = at::zeros({}, table.options());
  at::Tensor far = at::zeros({}, table.options());
  double count = 0;
  for (std::int64_t i = 0; i < walks.count; ++i) {
    RandomStream stream(5, Purpose::walk_negatives, epoch, static_cast<std::uint64_t>(i));
    const auto walk = walks.walk(i);
    for (int w = 0; w + options.context <= options.length; ++w) {
      for (int j = 1; j < options.context; ++j) {
        const at::Tensor centre = table[walk[static_cast<std::size_t>(w)]];
        const at::Tensor other = table[walk[static_cast<std::size_t>(w + j)]];
        const auto drawn =
            static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(graph.nodes())));
        near = near - at::log(at::sigmoid(centre.dot(other)) + 1e-15);
        far = far - at::log(1 - at::sigmoid(centre.dot(table[drawn])) + 1e-15);
        count += 1;
      }
    }
  }
  return near / count + far / count;
}

TEST(Node2vec, IsTheLossOverWindowsOfWalks) {
  const WalkOptions options{.length = 5, .context = 3, .per_node = 1, .p = 0.5, .q = 2};
  const Graph graph = test::two_groups(12, 4);
  const at::Tensor start = test::irregular({12, 3});
  std::vector<std::int32_t> all(12);
  std::iota(all.begin(), all.end(), 0);
  for (const LogForm form : {LogForm::stable, LogForm::naive}) {
    test::expect_matches(
        [&](const test::Tensors& x) {
          TinyWalks model(graph, start, options, {.log = form});
          model.table = x[0];
          const Table table(x[0]);
          EpochPass pass(model.context, model.inputs, table, {.seed = 5, .epoch = 2, .step = 2});
          const EpochLoss loss = model.method->loss(pass);
          EXPECT_EQ(loss.anchors, 12);
          return loss.loss;
        },
        [&](const test::Tensors& x) { return reference(graph, all, options, 2, x[0]); }, {start});
  }
}

TEST(Node2vec, WalksFromTheSeedsOfTheStep) {
  const WalkOptions options{.length = 4, .context = 2, .per_node = 3};
  TinyWalks model(test::two_groups(12, 4), test::irregular({12, 3}), options);
  model.inputs.seeds = test::on(index_tensor(std::vector<std::int32_t>{7, 2, 9}));
  const EpochLoss loss = model.loss(4);
  EXPECT_EQ(loss.anchors, 3);
  const at::Tensor exact = test::on_host(model.table).to(at::kDouble);
  EXPECT_NEAR(loss.loss.item<double>(),
              reference(model.graph, {7, 2, 9}, options, 4, exact).item<double>(), 1e-5);
  EXPECT_NE(model.loss(5).loss.item<double>(), loss.loss.item<double>());
}

/// Two cliques of 6 joined by one edge, trained: within a clique all are nearer than any two of
/// different ones on average.
TEST(Node2vec, CliquesComeTogether) {
  test::Edges edges{{0, 6}, {6, 0}};
  for (std::int32_t u = 0; u < 12; ++u) {
    for (std::int32_t v = 0; v < 12; ++v) {
      if (u != v && u / 6 == v / 6) edges.emplace_back(u, v);
    }
  }
  Graph graph = test::two_groups(12, 4);
  graph.adjacency = test::csr(12, edges);
  TinyWalks model(graph, test::irregular({12, 8}), {.length = 6, .context = 3, .per_node = 4});
  const at::Tensor moment1 = at::zeros_like(model.table);
  const at::Tensor moment2 = at::zeros_like(model.table);
  const double before = model.loss(0).loss.item<double>();
  for (std::uint32_t epoch = 0; epoch < 60; ++epoch) {
    model.table.mutable_grad() = at::Tensor();
    model.loss(epoch).loss.backward();
    const at::NoGradGuard no_grad;
    adam_step(model.table, model.table.grad(), moment1, moment2, {.lr = 0.05, .step = epoch + 1});
  }
  EXPECT_LT(model.loss(0).loss.item<double>(), before);
  const at::Tensor rows = test::on_host(model.table);
  const at::Tensor unit = rows / rows.norm(2, 1, true);
  const at::Tensor cosines = unit.mm(unit.t());
  const at::Tensor group = at::arange(12) >= 6;
  const at::Tensor same = group.unsqueeze(0) == group.unsqueeze(1);
  const at::Tensor pairs = at::eye(12, at::kBool).logical_not();
  const double inside = cosines.masked_select(same & pairs).mean().item<double>();
  const double between = cosines.masked_select(same.logical_not()).mean().item<double>();
  EXPECT_GT(inside, 0.5);
  EXPECT_LT(between, 0.2);
}

TEST(Node2vec, NeedsEdges) {
  Graph graph = test::two_groups(12, 4);
  graph.adjacency = test::csr(12, {});
  TinyWalks model(graph, test::irregular({12, 3}), {});
  EXPECT_TRUE(model.method->needs_edges());
  test::expect_error([&] { model.loss(0); }, {"no edges", "node2vec"});
}

TEST(Node2vec, WindowsLongerThanWalksAreAnInputError) {
  TinyWalks model(test::two_groups(12, 4), test::irregular({12, 3}), {.length = 4, .context = 5});
  test::expect_error([&] { model.loss(0); }, {"context", "5", "4"});
}

}  // namespace
}  // namespace creg::node2vec_test
