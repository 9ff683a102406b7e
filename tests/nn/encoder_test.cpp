#include "creg/nn/encoder.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/csr.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::encoder_test {
namespace {

using test::distance;

/// The encoders by their formulas, dense and in double.
struct Reference {
  explicit Reference(const Graph& graph) {
    const std::int64_t nodes = graph.nodes();
    loops = at::eye(nodes, at::kDouble);
    for (std::int64_t u = 0; u < nodes; ++u) {
      for (const std::int32_t v : graph.adjacency.row(u)) loops[v][u] = 1;  // v gathers from u
    }
    x = as_tensor(to_dense(graph.features)).to(at::kDouble);
    const at::Tensor degrees = loops.sum(1);
    gcn = loops / (degrees.unsqueeze(1) * degrees.unsqueeze(0)).sqrt();
    mean = loops / degrees.unsqueeze(1);
  }
  at::Tensor loops;
  at::Tensor gcn;
  at::Tensor mean;
  at::Tensor x;
};

at::Tensor parameter(const ParameterList& parameters, const std::string& name) {
  for (const NamedTensor& item : parameters.all()) {
    if (item.name == name) return test::on_host(item.value).to(at::kDouble);
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

at::Tensor leaky(const at::Tensor& x, const at::Tensor& slope) {
  return at::where(x > 0, x, x * slope);
}

at::Tensor reference_layer(const Reference& graph, EncoderKind kind, const ParameterList& p,
                           const at::Tensor& x, int layer, int heads, bool channel_norm = false) {
  const auto spread = [&](const at::Tensor& sums) {
    if (!channel_norm) return sums;
    const double width = static_cast<double>(sums.size(1));
    return (sums - sums.mean(0)) / (sums.var(0, false) * width).sqrt();
  };
  const auto named = [&](const char* what) {
    return parameter(p, "encoder." + std::to_string(layer) + "." + what);
  };
  switch (kind) {
    case EncoderKind::gcn:
      return leaky(spread(graph.gcn.mm(x.mm(named("weight")))) + named("bias"), named("slope"));
    case EncoderKind::sage:
      return leaky(spread(graph.mean.mm(x).mm(named("weight"))) + named("bias"), named("slope"));
    case EncoderKind::gin: {
      const at::Tensor first = at::elu(graph.loops.mm(x).mm(named("weight1")) + named("bias1"));
      return leaky(spread(first.mm(named("weight2"))) + named("bias2"), named("slope"));
    }
    case EncoderKind::gat: {
      const at::Tensor z = x.mm(named("weight"));
      const std::int64_t width = z.size(1) / heads;
      std::vector<at::Tensor> outputs;
      for (int head = 0; head < heads; ++head) {
        const at::Tensor part = z.narrow(1, head * width, width);
        const at::Tensor source = part.mv(named("attention_source")[head]);
        const at::Tensor target = part.mv(named("attention_target")[head]);
        const at::Tensor score =
            at::leaky_relu(target.unsqueeze(1) + source.unsqueeze(0), 0.2)
                .masked_fill(graph.loops == 0, -std::numeric_limits<double>::infinity());
        outputs.push_back(at::softmax(score, 1).mm(part));
      }
      return leaky(spread(at::cat(outputs, 1)) + named("bias"), named("slope"));
    }
    default:
      ADD_FAILURE() << "no reference";
  }
  return {};
}

struct Shape {
  EncoderKind kind;
  int layers;
};

class Encoders : public ::testing::TestWithParam<Shape> {
 protected:
  static constexpr int dim = 8;

  EncoderOptions options() const {
    return {.kind = GetParam().kind, .dim = dim, .layers = GetParam().layers, .heads = 2};
  }
};

TEST_P(Encoders, MatchTheirFormulas) {
  Graph graph = test::two_groups();
  const Reference reference(graph);
  ParameterList parameters(3, test::tensor_device());
  const auto encoder = make_encoder(options(), 12, parameters);
  const FeatureMatrix features(test::context(), graph.features);
  ASSERT_TRUE(features.sparse());
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, options());
  const at::Tensor h = encoder->propagate(hops, encoder->project(features, hops, {}), {});
  at::Tensor wanted = reference.x;
  for (int l = 0; l < GetParam().layers; ++l) {
    wanted = reference_layer(reference, GetParam().kind, parameters, wanted, l, 2);
  }
  EXPECT_LT(distance(h.detach(), wanted), 1e-5);
}

/// Of the sums before the bias, over the nodes.
TEST_P(Encoders, ChannelNormBringsEveryChannelToOneSpread) {
  const Graph graph = test::two_groups();
  const Reference reference(graph);
  ParameterList parameters(3, test::tensor_device());
  EncoderOptions normed = options();
  normed.channel_norm = true;
  const auto encoder = make_encoder(normed, 12, parameters);
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, normed);
  const FeatureMatrix features(test::context(), graph.features);
  const at::Tensor h = encoder->propagate(hops, encoder->project(features, hops, {}), {});
  at::Tensor wanted = reference.x;
  for (int l = 0; l < GetParam().layers; ++l) {
    wanted = reference_layer(reference, GetParam().kind, parameters, wanted, l, 2, true);
  }
  EXPECT_LT(distance(h.detach(), wanted), 1e-4);
  h.square().sum().backward();
  for (const NamedTensor& item : parameters.all()) {
    EXPECT_TRUE(item.value.grad().defined()) << item.name;
  }
}

TEST_P(Encoders, FollowTheDirectionOfEdges) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {{0, 1}, {1, 2}, {5, 2}, {7, 39}});
  graph.directed = true;
  const Reference reference(graph);
  ParameterList parameters(3, test::tensor_device());
  const auto encoder = make_encoder(options(), 12, parameters);
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, options());
  const at::Tensor h = encoder->propagate(
      hops, encoder->project(FeatureMatrix(test::context(), graph.features), hops, {}), {});
  at::Tensor wanted = reference.x;
  for (int l = 0; l < GetParam().layers; ++l) {
    wanted = reference_layer(reference, GetParam().kind, parameters, wanted, l, 2);
  }
  EXPECT_LT(distance(h.detach(), wanted), 1e-5);
}

/// The corrupted pass shares the product with the features; encoding shuffled features is the
/// reference.
TEST_P(Encoders, AnOrderIsAsIfTheFeaturesWereShuffled) {
  Graph graph = test::two_groups();
  ParameterList parameters(3, test::tensor_device());
  const auto encoder = make_encoder(options(), 12, parameters);
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, options());
  RandomStream stream(1, Purpose::test);
  const at::Tensor order = index_tensor(random_permutation(40, stream));
  const at::Tensor shared = encoder->propagate(
      hops, encoder->project(FeatureMatrix(test::context(), graph.features), hops, {}),
      {.order = test::on(order)});
  const at::Tensor shuffled = as_tensor(to_dense(graph.features)).index_select(0, order);
  const FeatureMatrix other(test::context(), Features(as_dense(shuffled)));
  const at::Tensor apart = encoder->propagate(hops, encoder->project(other, hops, {}), {});
  EXPECT_LT(distance(shared.detach(), apart.detach()), 1e-5);
}

TEST_P(Encoders, EveryParameterGetsAGradient) {
  Graph graph = test::two_groups();
  ParameterList parameters(3, test::tensor_device());
  const auto encoder = make_encoder(options(), 12, parameters);
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, options());
  const at::Tensor h = encoder->propagate(
      hops, encoder->project(FeatureMatrix(test::context(), graph.features), hops, {}), {});
  (h * test::on(test::irregular(h.sizes()))).sum().backward();
  for (const NamedTensor& item : parameters.all()) {
    ASSERT_TRUE(item.value.grad().defined()) << item.name;
    EXPECT_GT(item.value.grad().abs().max().item<float>(), 0) << item.name;
  }
}

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  return name_of(info.param.kind) + std::to_string(info.param.layers);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Encoders,
                         ::testing::Values(Shape{EncoderKind::gcn, 1}, Shape{EncoderKind::gcn, 3},
                                           Shape{EncoderKind::gat, 1}, Shape{EncoderKind::gat, 2},
                                           Shape{EncoderKind::gin, 1}, Shape{EncoderKind::gin, 2},
                                           Shape{EncoderKind::sage, 1},
                                           Shape{EncoderKind::sage, 2}),
                         shape_name);

/// On the host.
at::Tensor gcn_with(ActivationKind activation, const EncoderPass& pass) {
  Graph graph = test::two_groups();
  ParameterList parameters(3, test::tensor_device());
  const EncoderOptions options{.dim = 6, .activation = activation};
  const auto encoder = make_encoder(options, 12, parameters);
  const Hops hops = encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                                 graph.directed, options);
  const FeatureMatrix features(test::context(), graph.features);
  return test::on_host(encoder->propagate(hops, encoder->project(features, hops, {}), pass));
}

TEST(Activations, AreWhatTheirNamesSay) {
  const at::Tensor sums = gcn_with(ActivationKind::none, {});
  const auto expect = [&](ActivationKind kind, const at::Tensor& wanted) {
    EXPECT_LT(distance(gcn_with(kind, {}), wanted), 1e-6) << name_of(kind);
  };
  expect(ActivationKind::relu, at::relu(sums));
  expect(ActivationKind::elu, at::elu(sums));
  expect(ActivationKind::prelu, leaky(sums, at::full({1}, 0.25F)));
  expect(ActivationKind::prelu_shared, leaky(sums, at::full({1}, 0.25F)));
  expect(ActivationKind::rrelu, leaky(sums, at::full({1}, (1.0F / 8 + 1.0F / 3) / 2)));
}

TEST(Activations, RandomSlopesDependOnTheSeedAlone) {
  const at::Tensor once = gcn_with(ActivationKind::rrelu, {.training = true, .noise = {.seed = 5}});
  const at::Tensor again =
      gcn_with(ActivationKind::rrelu, {.training = true, .noise = {.seed = 5}});
  const at::Tensor other =
      gcn_with(ActivationKind::rrelu, {.training = true, .noise = {.seed = 6}});
  EXPECT_TRUE(at::equal(once, again));
  EXPECT_FALSE(at::equal(once, other));
}

TEST(Activations, RandomSlopesAreBetweenAnEighthAndAThird) {
  const at::Tensor sums = gcn_with(ActivationKind::none, {});
  const at::Tensor found =
      gcn_with(ActivationKind::rrelu, {.training = true, .noise = {.seed = 5}});
  const at::Tensor below = sums < 0;
  EXPECT_TRUE(
      at::equal(found.masked_select(below.logical_not()), sums.masked_select(below.logical_not())));
  const at::Tensor slopes = (found / sums).masked_select(below);
  ASSERT_GT(slopes.numel(), 50);
  EXPECT_GE(slopes.min().item<double>(), 1.0 / 8 - 1e-6);
  EXPECT_LE(slopes.max().item<double>(), 1.0 / 3 + 1e-6);
  // Uniform: the mean of n of them lies within 4 standard errors of the middle.
  const double deviation = (1.0 / 3 - 1.0 / 8) / std::sqrt(12.0);
  EXPECT_NEAR(slopes.mean().item<double>(), (1.0 / 3 + 1.0 / 8) / 2,
              4 * deviation / std::sqrt(static_cast<double>(slopes.numel())));
  EXPECT_NEAR(slopes.std().item<double>(), deviation, deviation / 3);
}

}  // namespace
}  // namespace creg::encoder_test
