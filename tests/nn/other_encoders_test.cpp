#include <gtest/gtest.h>
#include <torch/types.h>

#include "creg/core/error.h"
#include "graph/diffusion.h"
#include "graph/normalise.h"
#include "nn/dual_encoder.h"
#include "ops/csr.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::other_encoders_test {
namespace {

using test::distance;

at::Tensor leaky(const at::Tensor& x, const at::Tensor& slope) {
  return at::where(x > 0, x, x * slope);
}

at::Tensor cells(const CsrMatrix& matrix) {
  return as_tensor(to_dense(matrix)).to(at::kDouble);
}

class OtherEncoders : public ::testing::Test {
 protected:
  at::Tensor parameter(const std::string& name) const {
    for (const NamedTensor& item : parameters_.all()) {
      if (item.name == "encoder." + name) return test::on_host(item.value).to(at::kDouble);
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
  }
  Hops hops(const EncoderOptions& options) const {
    return encoder_hops(test::context(), csr_tensors(test::context(), graph_.adjacency), false,
                        options, &graph_.features);
  }

  Graph graph_ = test::two_groups();
  FeatureMatrix features_{test::context(), graph_.features};
  at::Tensor x_ = as_tensor(to_dense(graph_.features)).to(at::kDouble);
  at::Tensor order_ = [] {
    RandomStream stream(1, Purpose::test);
    return index_tensor(random_permutation(40, stream));
  }();
  ParameterList parameters_{3, test::tensor_device()};
};

TEST_F(OtherEncoders, ATableIsItsParameter) {
  const EncoderOptions options{.kind = EncoderKind::table, .dim = 30};
  const auto encoder = make_encoder(options, 12, parameters_, 40);
  const Hops none = hops(options);
  const Projected projected = encoder->project(features_, none, {});
  EXPECT_EQ(projected.rows.size(1), encoder->first_width());
  const at::Tensor h = encoder->propagate(none, projected, {});
  EXPECT_EQ(distance(h, parameter("table")), 0);
  EXPECT_NEAR(h.mean().item<double>(), 0, 0.1);
  EXPECT_NEAR(h.square().mean().item<double>(), 1, 0.1);
  const at::Tensor shuffled = encoder->propagate(none, projected, {.order = test::on(order_)});
  EXPECT_TRUE(test::equal(shuffled, test::on_host(h).index_select(0, order_)));
  (shuffled * test::on(test::irregular({40, 30}))).sum().backward();
  EXPECT_TRUE(parameters_.all()[0].value.grad().defined());
  ParameterList other(3, test::tensor_device());
  EXPECT_THROW(make_encoder(options, 12, other), Bug);
}

TEST_F(OtherEncoders, ADualOneAddsItsParts) {
  const EncoderOptions options{.kind = EncoderKind::dual,
                               .dim = 6,
                               .activation = ActivationKind::prelu_shared,
                               .teleport = 0.2};
  const auto encoder = make_encoder(options, 12, parameters_);
  const auto& dual = dynamic_cast<const DualEncoder&>(*encoder);
  const Hops both = hops(options);
  const Projected projected = encoder->project(features_, both, {});
  EXPECT_EQ(projected.rows.size(1), encoder->first_width());
  const std::vector<at::Tensor> matrices = {
      cells(gcn_normalised(Context(), graph_.adjacency)),
      cells(ppr_diffusion(Context(), graph_.adjacency, {.alpha = 0.2}))};
  const at::NoGradGuard no_grad;
  parameters_.all()[2].value.fill_(0.5F);  // slopes of their own
  for (const at::Tensor& order : {at::Tensor(), order_}) {
    const at::Tensor x = order.defined() ? x_.index_select(0, order) : x_;
    at::Tensor sum;
    for (int p = 0; p < 2; ++p) {
      const std::string name = std::to_string(p);
      const at::Tensor wanted =
          leaky(matrices[static_cast<std::size_t>(p)].mm(x.mm(parameter(name + ".weight"))),
                parameter(name + ".slope"));
      const at::Tensor part = dual.part(p, both, projected, {.order = test::on(order)});
      EXPECT_LT(distance(part, wanted), 1e-5) << p;
      sum = p == 0 ? wanted : sum + wanted;
    }
    EXPECT_LT(distance(encoder->propagate(both, projected, {.order = test::on(order)}), sum), 1e-5);
  }
}

TEST_F(OtherEncoders, APartOfADualOneTrainsAlone) {
  const EncoderOptions options{.kind = EncoderKind::dual, .dim = 6};
  const DualEncoder dual(options, 12, parameters_);
  const Hops both = hops(options);
  dual.part(1, both, dual.project(features_, both, {}), {}).square().sum().backward();
  for (const NamedTensor& item : parameters_.all()) {
    const bool second = item.name.find("encoder.1.") == 0;
    const at::Tensor& gradient = item.value.grad();
    const bool moves = gradient.defined() && gradient.abs().max().item<float>() > 0;
    EXPECT_EQ(moves, second) << item.name;
  }
}

/// Every node twice: joined by edges, and by the 10 most similar features.
at::Tensor supra_adjacency(const Graph& graph, const at::Tensor& x) {
  const std::int64_t n = graph.nodes();
  at::Tensor a = at::eye(2 * n, at::kDouble);
  const at::Tensor unit = x / x.norm(2, 1, true).clamp_min(1e-12);
  const at::Tensor cosine = unit.mm(unit.t());
  for (std::int64_t u = 0; u < n; ++u) {
    for (const std::int32_t v : graph.adjacency.row(u)) a[u][v] = 1;
    a[u][n + u] = 1;
    a[n + u][u] = 1;
    std::vector<std::int64_t> others;
    for (std::int64_t v = 0; v < n; ++v) {
      if (v != u) others.push_back(v);
    }
    std::stable_sort(others.begin(), others.end(), [&](std::int64_t p, std::int64_t q) {
      return cosine[u][p].item<float>() > cosine[u][q].item<float>() + 1e-6F;
    });
    for (std::size_t i = 0; i < 10; ++i) {
      a[n + u][n + others[i]] = 1;
      a[n + others[i]][n + u] = 1;
    }
  }
  return a;
}

TEST_F(OtherEncoders, AMultiplexIsTheMeanOverBothLayersOfNodes) {
  // Features without ties, so that the nearest are clear.
  x_ = test::irregular({40, 12}).abs().to(at::kDouble);
  graph_.features = as_dense(x_.to(at::kFloat));
  features_ = FeatureMatrix(test::context(), graph_.features);
  const EncoderOptions options{.kind = EncoderKind::multiplex, .dim = 4, .hidden = 6, .layers = 2};
  const auto encoder = make_encoder(options, 12, parameters_);
  const Hops both = hops(options);
  const at::Tensor a = supra_adjacency(graph_, x_);
  const at::Tensor degrees = a.sum(1);
  const at::Tensor m = a / (degrees.unsqueeze(1) * degrees.unsqueeze(0)).sqrt();
  for (const at::Tensor& order : {at::Tensor(), order_}) {
    const at::Tensor x = order.defined() ? x_.index_select(0, order) : x_;
    at::Tensor h = at::cat({x, x}, 0);
    for (int l = 0; l < 2; ++l) {
      const std::string name = std::to_string(l);
      h = leaky(m.mm(h.mm(parameter(name + ".weight"))) + parameter(name + ".bias"),
                parameter(name + ".slope"));
    }
    const at::Tensor wanted = (h.narrow(0, 0, 40) + h.narrow(0, 40, 40)) / 2;
    const at::Tensor found =
        encoder->propagate(both, encoder->project(features_, both, {}), {.order = test::on(order)});
    EXPECT_LT(distance(found.detach(), wanted), 1e-5);
  }
}

TEST_F(OtherEncoders, AMultiplexTrainsAllItsLayers) {
  const EncoderOptions options{.kind = EncoderKind::multiplex, .dim = 4, .layers = 2};
  const auto encoder = make_encoder(options, 12, parameters_);
  const Hops both = hops(options);
  encoder->propagate(both, encoder->project(features_, both, {}), {}).square().sum().backward();
  for (const NamedTensor& item : parameters_.all()) {
    EXPECT_TRUE(item.value.grad().defined()) << item.name;
  }
  EXPECT_THROW(
      encoder_hops(test::context(), csr_tensors(test::context(), graph_.adjacency), false, options),
      Bug);
}

}  // namespace
}  // namespace creg::other_encoders_test
