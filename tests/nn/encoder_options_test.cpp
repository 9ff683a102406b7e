// What an encoder may be told beside its kind and width: each option against a plain formula.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "creg/nn/encoder.h"
#include "graph/diffusion.h"
#include "graph/normalise.h"
#include "ops/csr.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::encoder_options_test {
namespace {

using test::distance;

struct Made {
  explicit Made(const EncoderOptions& wanted, Graph of = test::two_groups())
      : options(wanted),
        graph(std::move(of)),
        encoder(make_encoder(options, feature_cols(graph.features), parameters)),
        features(test::context(), graph.features),
        hops(encoder_hops(test::context(), csr_tensors(test::context(), graph.adjacency),
                          graph.directed, options, &graph.features)) {}

  at::Tensor embedding(const EncoderPass& pass = {}) const {
    return encoder->propagate(hops, encoder->project(features, hops, pass), pass);
  }
  at::Tensor parameter(const std::string& name) const {
    for (const NamedTensor& item : parameters.all()) {
      if (item.name == "encoder." + name) return test::on_host(item.value).to(at::kDouble);
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
  }

  EncoderOptions options;
  Graph graph;
  ParameterList parameters{3, test::tensor_device()};
  std::unique_ptr<Encoder> encoder;
  FeatureMatrix features;
  Hops hops;
};

at::Tensor cells(const CsrMatrix& matrix) {
  return as_tensor(to_dense(matrix)).to(at::kDouble);
}

const std::vector<EncoderKind> layered = {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin,
                                          EncoderKind::sage, EncoderKind::multiplex};

TEST(EncoderOptions, HiddenLayersHaveTheirOwnWidth) {
  for (const EncoderKind kind : layered) {
    const Made made({.kind = kind, .dim = 4, .hidden = 10, .layers = 3, .heads = 2});
    EXPECT_EQ(made.embedding().sizes(), (std::vector<std::int64_t>{40, 4})) << name_of(kind);
    const char* const weight = kind == EncoderKind::gin ? ".weight1" : ".weight";
    const std::int64_t times = kind == EncoderKind::gin ? 2 : 1;
    EXPECT_EQ(made.parameter(std::string("0") + weight).size(1), 10 * times);
    EXPECT_EQ(made.parameter(std::string("1") + weight).size(0), 10);
    EXPECT_EQ(made.parameter(std::string("2") + weight).size(1), 4 * times);
    EXPECT_EQ(made.encoder->first_width(), 10 * times);
    EXPECT_EQ(made.encoder->multiply(made.features).size(1), made.encoder->first_width());
  }
}

TEST(EncoderOptions, EvaluationDropsNothing) {
  for (const EncoderKind kind : layered) {
    const EncoderOptions plain{.kind = kind, .dim = 6, .layers = 2, .heads = 2};
    EncoderOptions dropping = plain;
    dropping.dropout = 0.5;
    if (kind == EncoderKind::gat) dropping.attention_dropout = 0.5;
    const at::Tensor wanted = Made(plain).embedding();
    EXPECT_TRUE(test::equal(Made(dropping).embedding({.noise = {.seed = 4}}), wanted))
        << name_of(kind);
    EXPECT_FALSE(
        test::equal(Made(dropping).embedding({.training = true, .noise = {.seed = 4}}), wanted));
    EXPECT_TRUE(
        test::equal(Made(plain).embedding({.training = true, .noise = {.seed = 4}}), wanted));
  }
}

TEST(EncoderOptions, WhatIsDroppedDependsOnTheSeedAlone) {
  for (const EncoderKind kind : layered) {
    const Made made({.kind = kind,
                     .dim = 6,
                     .layers = 2,
                     .heads = 2,
                     .dropout = 0.4,
                     .attention_dropout = 0.3});
    const at::Tensor once = made.embedding({.training = true, .noise = {.seed = 4}});
    EXPECT_FALSE(test::equal(once, made.embedding({.training = true, .noise = {.seed = 5}})))
        << name_of(kind);
    const int threads = at::get_num_threads();
    at::set_num_threads(threads == 1 ? 3 : 1);
    EXPECT_TRUE(test::equal(once, made.embedding({.training = true, .noise = {.seed = 4}})))
        << name_of(kind);
    at::set_num_threads(threads);
  }
}

/// One linear layer: dropout leaves its output as it is on average.
TEST(EncoderOptions, DropoutKeepsTheExpectedValue) {
  const EncoderOptions options{
      .dim = 4, .layers = 2, .activation = ActivationKind::none, .dropout = 0.3};
  const Made made(options);
  at::Tensor sum = at::zeros({40, 4}, at::kDouble);
  constexpr int passes = 3000;
  for (std::uint64_t noise = 0; noise < passes; ++noise) {
    sum += test::on_host(made.embedding({.training = true, .noise = {.seed = noise}}));
  }
  EXPECT_LT(distance(sum / passes, made.embedding().detach()), 0.03);
}

TEST(EncoderOptions, AttentionDropoutKeepsTheExpectedValue) {
  const EncoderOptions options{.kind = EncoderKind::gat,
                               .dim = 4,
                               .activation = ActivationKind::none,
                               .heads = 2,
                               .attention_dropout = 0.3};
  const Made made(options);
  at::Tensor sum = at::zeros({40, 4}, at::kDouble);
  constexpr int passes = 2000;
  for (std::uint64_t noise = 0; noise < passes; ++noise) {
    sum += test::on_host(made.embedding({.training = true, .noise = {.seed = noise}}));
  }
  EXPECT_LT(distance(sum / passes, made.embedding().detach()), 0.03);
}

TEST(EncoderOptions, GainScalesTheStart) {
  for (const EncoderKind kind : {EncoderKind::gcn, EncoderKind::gat, EncoderKind::sage}) {
    const Made one({.kind = kind, .dim = 6, .heads = 2});
    const Made three({.kind = kind, .dim = 6, .heads = 2, .gain = 3});
    EXPECT_LT(distance(three.parameter("0.weight"), one.parameter("0.weight") * 3), 1e-6);
    if (kind == EncoderKind::gat) {
      EXPECT_LT(
          distance(three.parameter("0.attention_source"), one.parameter("0.attention_source") * 3),
          1e-6);
    }
  }
}

TEST(EncoderOptions, TheLastLayerMayGoWithoutActivation) {
  for (const EncoderKind kind : layered) {
    const EncoderOptions options{.kind = kind,
                                 .dim = 6,
                                 .layers = 2,
                                 .activation = ActivationKind::relu,
                                 .last_activation = false,
                                 .heads = 2};
    EncoderOptions with = options;
    with.last_activation = true;
    const at::Tensor open = Made(options).embedding();
    EXPECT_LT(open.min().item<float>(), 0) << name_of(kind);
    if (kind == EncoderKind::multiplex) continue;  // a mean of two activations
    EXPECT_LT(distance(Made(with).embedding(), at::relu(open)), 1e-6) << name_of(kind);
  }
}

TEST(EncoderOptions, LayerNormComesBetweenBiasAndActivation) {
  for (const EncoderKind kind : {EncoderKind::gcn, EncoderKind::gat, EncoderKind::sage}) {
    const EncoderOptions plain{
        .kind = kind, .dim = 6, .activation = ActivationKind::none, .heads = 2};
    EncoderOptions options = plain;
    options.layer_norm = true;
    options.activation = ActivationKind::prelu;
    const Made made(options);
    const at::NoGradGuard no_grad;
    // Training starts with the normalised rows as they are.
    EXPECT_TRUE(at::equal(made.parameter("0.norm_scale"), at::ones({6}, at::kDouble)));
    EXPECT_TRUE(at::equal(made.parameter("0.norm_shift"), at::zeros({6}, at::kDouble)));
    for (const NamedTensor& item : made.parameters.all()) {
      if (item.name == "encoder.0.norm_scale") item.value.copy_(test::irregular({6}, 1));
      if (item.name == "encoder.0.norm_shift") item.value.copy_(test::irregular({6}, 2));
    }
    const at::Tensor sums = test::on_host(Made(plain).embedding()).to(at::kDouble);
    const at::Tensor centred = sums - sums.mean(1, true);
    const at::Tensor normal = centred / (centred.square().mean(1, true) + 1e-5).sqrt();
    const at::Tensor moved =
        normal * made.parameter("0.norm_scale") + made.parameter("0.norm_shift");
    const at::Tensor wanted = at::where(moved > 0, moved, 0.25 * moved);
    EXPECT_LT(distance(made.embedding(), wanted), 1e-4) << name_of(kind);
  }
}

/// A step against the gradient of a fixed dropped pass lowers the loss: it is the pass's own.
TEST(EncoderOptions, GradientsAreThoseOfThePass) {
  for (const EncoderKind kind : layered) {
    const Made made({.kind = kind,
                     .dim = 4,
                     .hidden = 6,
                     .layers = 2,
                     .heads = 2,
                     .dropout = 0.3,
                     .layer_norm = kind == EncoderKind::gcn || kind == EncoderKind::gat});
    const EncoderPass pass{.training = true, .noise = {.seed = 7}};
    const at::Tensor weights = test::on(test::irregular({40, 4}, 5));
    const auto loss = [&] { return (made.embedding(pass) * weights).sum(); };
    loss().backward();
    for (const NamedTensor& item : made.parameters.all()) {
      ASSERT_TRUE(item.value.grad().defined()) << item.name;
      const at::Tensor direction = test::on(test::irregular(item.value.sizes(), 1));
      const double slope = (item.value.grad() * direction).sum().item<double>();
      const at::NoGradGuard no_grad;
      const at::Tensor kept = item.value.detach().clone();
      constexpr double step = 1e-3;
      item.value.copy_(kept + step * direction);
      const double above = loss().item<double>();
      item.value.copy_(kept - step * direction);
      const double below = loss().item<double>();
      item.value.copy_(kept);
      EXPECT_NEAR((above - below) / (2 * step), slope, 0.03 * std::max(1.0, std::abs(slope)))
          << name_of(kind) << " " << item.name;
    }
  }
}

at::Tensor gcn_by(const Made& made, const at::Tensor& matrix) {
  const at::Tensor x = as_tensor(to_dense(made.graph.features)).to(at::kDouble);
  const at::Tensor sums = matrix.mm(x.mm(made.parameter("0.weight"))) + made.parameter("0.bias");
  return at::where(sums > 0, sums, sums * made.parameter("0.slope"));
}

TEST(Propagation, ByTheLaplacianOfADirectedGraph) {
  Graph graph = test::two_groups();
  graph.adjacency = test::csr(40, {{0, 1}, {1, 2}, {5, 2}, {2, 5}, {7, 39}});
  graph.directed = true;
  const Made made({.dim = 5, .propagation = Propagation::directed_pagerank, .teleport = 0.3},
                  graph);
  const CsrMatrix wanted =
      gcn_normalised(Context(), pagerank_laplacian(Context(), graph.adjacency, 0.3));
  EXPECT_LT(distance(made.embedding().detach(), gcn_by(made, cells(wanted))), 1e-5);
  made.embedding().sum().backward();
  EXPECT_TRUE(made.parameters.all().front().value.grad().defined());
}

TEST(Propagation, ByDiffusionInFullAndSparse) {
  const Made full({.dim = 5, .propagation = Propagation::diffusion, .teleport = 0.2});
  const CsrMatrix s = ppr_diffusion(Context(), full.graph.adjacency, {.alpha = 0.2});
  EXPECT_TRUE(full.hops.of_layer(0).dense().defined());
  EXPECT_LT(distance(full.embedding().detach(), gcn_by(full, cells(s))), 1e-5);

  const Made sparse(
      {.dim = 5, .propagation = Propagation::diffusion, .teleport = 0.2, .sparse_diffusion = true});
  const double degree = static_cast<double>(sparse.graph.adjacency.nonzeros()) / 40;
  const double threshold = threshold_for_degree(s, degree);
  EXPECT_GT(threshold, 1e-3);
  const CsrMatrix kept = min_max_columns(Context(), without_small_entries(Context(), s, threshold));
  EXPECT_LT(distance(sparse.embedding().detach(), gcn_by(sparse, cells(kept))), 1e-5);
}

}  // namespace
}  // namespace creg::encoder_options_test
