// Methods of two views against the formulas they are, in double, from views drawn the same way.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <string>

#include "contrast/edge_chances.h"
#include "contrast/feature_mask.h"
#include "contrast/teleport_schedule.h"
#include "creg/methods/method.h"
#include "graph/centrality.h"
#include "graph/edge_drop.h"
#include "graph/normalise.h"
#include "methods/tiny_model.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/gradients.h"

namespace creg::view_methods_test {
namespace {

constexpr std::uint64_t seed = 5;
constexpr std::uint32_t epoch = 3;
constexpr double temperature = 0.4;

Graph one_way_groups() {
  Graph graph = test::two_groups();
  test::Edges edges;
  for (const auto& [u, v] : test::entries(graph.adjacency)) {
    if (u < v || (u + v) % 3 == 0) edges.emplace_back(u, v);
  }
  graph.adjacency = test::csr(40, edges);
  graph.directed = true;
  return graph;
}

struct ViewModel {
  ViewModel(const std::string& name, Graph made, EncoderOptions encoder_options, ViewOptions views,
            const test::OwnValues& own = {})
      : graph(std::move(made)),
        encoder(make_encoder(encoder_options, feature_cols(graph.features), parameters)),
        inputs(context, graph, encoder_options),
        method(find_method(name).make({.contrast = {.temperature = temperature},
                                       .views = views,
                                       .encoder = encoder_options,
                                       .own = test::own_settings(name, own),
                                       .dim = encoder_options.dim,
                                       .epochs = 10},
                                      parameters)) {}

  EpochLoss loss(std::uint32_t at = epoch) {
    EpochPass pass(context, inputs, *encoder,
                   {.seed = seed, .epoch = static_cast<int>(at), .step = at});
    return method->loss(pass);
  }

  Context context = test::context();
  Graph graph;
  ParameterList parameters{3, test::tensor_device()};
  std::unique_ptr<Encoder> encoder;
  GraphInputs inputs;
  std::unique_ptr<Method> method;
};

at::Tensor dense_double(const CsrMatrix& matrix) {
  at::Tensor out = at::zeros({matrix.rows, matrix.cols}, at::kDouble);
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    for (std::int64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e) {
      out[r][matrix.columns[e]] += matrix.value(e);
    }
  }
  return out;
}

/// D^-1/2 A^T D^-1/2 with degrees by incoming weights; 0 where there are none.
at::Tensor normalised(const at::Tensor& a) {
  const at::Tensor degrees = a.sum(0);
  const at::Tensor scale = at::where(degrees > 0, degrees.rsqrt(), at::zeros_like(degrees));
  return a.t() * scale.unsqueeze(1) * scale.unsqueeze(0);
}

/// Of A + I, for a graph without loops.
at::Tensor gathered_by(const CsrMatrix& adjacency) {
  return normalised(dense_double(adjacency) + at::eye(adjacency.rows, at::kDouble));
}

struct View {
  at::Tensor matrix;
  at::Tensor features;
};

/// One layer of GCN with a slope per channel, then the head.
at::Tensor projected(const View& view, const test::Tensors& p) {
  const at::Tensor sum = view.matrix.mm(view.features.mm(p[0])) + p[1];
  const at::Tensor h = at::where(sum > 0, sum, sum * p[2]);
  const at::Tensor inner = h.mm(p[3]) + p[4];
  const at::Tensor bent = at::where(inner > 0, inner, at::exp(inner) - 1);
  return bent.mm(p[5]) + p[6];
}

at::Tensor info_nce_formula(const at::Tensor& u, const at::Tensor& v, bool both_views) {
  const auto unit = [](const at::Tensor& x) { return x / x.norm(2, 1, true); };
  const auto one_way = [&](const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor own = at::exp(a.mm(a.t()) / temperature);
    const at::Tensor between = at::exp(a.mm(b.t()) / temperature);
    at::Tensor all = own.sum(1) - own.diagonal();
    all = all + (both_views ? between.sum(1) : between.diagonal());
    return -at::log(between.diagonal() / all);
  };
  return ((one_way(unit(u), unit(v)) + one_way(unit(v), unit(u))) / 2).mean();
}

/// Value and gradients of all parameters.
void expect_formula(ViewModel& model, const View& one, const View& other, bool both_views) {
  const std::vector<NamedTensor>& all = model.parameters.all();
  ASSERT_EQ(all.size(), 7);
  const EpochLoss found = model.loss();
  EXPECT_EQ(found.anchors, model.graph.nodes());
  found.loss.backward();
  test::Tensors exact;
  for (const NamedTensor& item : all)
    exact.push_back(test::on_host(item.value).to(at::kDouble).clone());
  const auto formula = [&] {
    return info_nce_formula(projected(one, exact), projected(other, exact), both_views)
        .item<double>();
  };
  EXPECT_NEAR(found.loss.item<double>(), formula(), 1e-5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    at::Tensor slopes = at::zeros_like(exact[i]);
    auto* const values = exact[i].data_ptr<double>();
    for (std::int64_t j = 0; j < exact[i].numel(); ++j) {
      constexpr double step = 1e-5;
      const double kept = values[j];
      values[j] = kept + step;
      const double above = formula();
      values[j] = kept - step;
      const double below = formula();
      values[j] = kept;
      slopes.data_ptr<double>()[j] = (above - below) / (2 * step);
    }
    ASSERT_TRUE(all[i].value.grad().defined()) << all[i].name;
    const double scale = slopes.abs().max().item<double>();
    EXPECT_GT(scale, 0) << all[i].name;
    EXPECT_LT(
        (test::on_host(all[i].value.grad()).to(at::kDouble) - slopes).abs().max().item<double>(),
        1e-3 * scale + 2e-6)
        << all[i].name;
  }
}

at::Tensor features_of(const Graph& graph) {
  return as_tensor(to_dense(graph.features)).to(at::kDouble);
}

ViewDraw draw(int view) {
  return {.seed = seed, .step = epoch, .view = view};
}

constexpr ViewOptions rates{.drop_edges1 = 0.2,
                            .drop_edges2 = 0.5,
                            .drop_features1 = 0.1,
                            .drop_features2 = 0.4,
                            .projection = 4};

TEST(Grace, IsTheLossOfTwoUniformViews) {
  for (const Graph& graph : {test::two_groups(), one_way_groups()}) {
    ViewModel model("grace", graph, {.dim = 6}, rates);
    const at::Tensor x = features_of(graph);
    const auto view = [&](double edges, double features, int number) {
      return View{gathered_by(drop_edges(Context(), graph.adjacency, edges, draw(number))),
                  x * draw_column_mask(Context(), 12, features, draw(number))};
    };
    expect_formula(model, view(0.2, 0.1, 0), view(0.5, 0.4, 1), true);
  }
}

TEST(Gca, IsTheLossOfTwoAdaptiveViews) {
  const Graph graph = test::two_groups();
  for (const Centrality kind :
       {Centrality::degree, Centrality::pagerank, Centrality::eigenvector}) {
    ViewModel model("gca", graph, {.dim = 6}, rates, {{"centrality", name_of(kind)}});
    const Context context;
    const CsrMatrix& a = graph.adjacency;
    std::vector<double> of_edges = degree_centrality(context, a);
    std::vector<double> of_features = of_edges;
    if (kind == Centrality::pagerank) {
      of_edges = pagerank_centrality(context, a, 200);
      of_features = pagerank_centrality(context, a, 10);
    }
    if (kind == Centrality::eigenvector) {
      of_features = eigenvector_centrality(context, a);
      of_edges = of_features;
      for (double& c : of_edges) c += 1e-8;
    }
    const at::Tensor x = features_of(graph);
    const FeatureMatrix features(context, graph.features);
    const auto view = [&](double edges, double columns, int number) {
      const std::vector<float> edge_chances = adaptive_edge_chances(context, a, of_edges, edges);
      const at::Tensor column_chances =
          tensor_on(context, adaptive_column_chances(features, of_features, columns));
      return View{gathered_by(drop_edges(context, a, edge_chances, draw(number))),
                  x * draw_column_mask(column_chances, draw(number))};
    };
    expect_formula(model, view(0.2, 0.1, 0), view(0.5, 0.4, 1), true);
  }
}

TEST(Digcl, IsTheLossOfTwoLaplaciansAgainstOnesOwnView) {
  const Graph graph = one_way_groups();
  for (const TeleportSchedule schedule : {TeleportSchedule::log, TeleportSchedule::linear}) {
    ViewModel model("digcl", graph,
                    {.dim = 6, .propagation = Propagation::directed_pagerank, .teleport = 0.1},
                    rates, {{"teleport_schedule", name_of(schedule)}});
    const at::Tensor x = features_of(graph);
    const auto view = [&](double teleport, double columns, int number) {
      return View{
          normalised(dense_double(pagerank_laplacian(Context(), graph.adjacency, teleport))),
          x * draw_column_mask(Context(), 12, columns, draw(number))};
    };
    expect_formula(model, view(0.1, 0.1, 0), view(teleport_of(schedule, epoch, 10), 0.4, 1), false);
  }
}

TEST(ViewMethods, DrawNewViewsEveryEpoch) {
  for (const char* name : {"grace", "gca", "digcl"}) {
    EncoderOptions encoder{.dim = 6};
    if (name == std::string("digcl")) encoder.propagation = Propagation::directed_pagerank;
    ViewModel model(name, one_way_groups(), encoder, rates);
    const double now = model.loss(3).loss.item<double>();
    EXPECT_EQ(model.loss(3).loss.item<double>(), now) << name;
    EXPECT_NE(model.loss(4).loss.item<double>(), now) << name;
  }
}

/// Without drops both views are the graph itself: nothing is nearer to a node than itself.
TEST(ViewMethods, WithoutDropsTheViewsAreTheGraph) {
  for (const char* name : {"grace", "gca"}) {
    for (const EncoderKind kind :
         {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
      ViewModel model(name, test::two_groups(), {.kind = kind, .dim = 8, .layers = 2, .heads = 2},
                      {.drop_edges1 = 0,
                       .drop_edges2 = 0,
                       .drop_features1 = 0,
                       .drop_features2 = 0,
                       .projection = 4});
      const EpochLoss loss = model.loss();
      EXPECT_NEAR(loss.positive_sigma.item<double>(), 1 / (1 + std::exp(-1 / temperature)), 1e-5)
          << name;
      EXPECT_LT(loss.negative_sigma.item<double>(), loss.positive_sigma.item<double>()) << name;
      EXPECT_EQ(model.loss(7).loss.item<double>(), loss.loss.item<double>()) << name;
      loss.loss.backward();
      for (const NamedTensor& item : model.parameters.all()) {
        EXPECT_TRUE(item.value.grad().defined()) << name << ' ' << item.name;
      }
    }
  }
}

}  // namespace
}  // namespace creg::view_methods_test
