// A method with a small encoder on a small graph, and checks of its loss against plain formulas.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "creg/methods/method.h"
#include "ops/adam.h"
#include "support/attributed_graph.h"
#include "support/devices.h"

namespace creg::test {

/// Own parameters of a method that differ from their defaults, by key.
using OwnValues = std::map<std::string, std::string>;

inline OwnSettings own_settings(const std::string& method, const OwnValues& values) {
  const MethodEntry& entry = find_method(method);
  OwnSettings own(entry.parameters);
  for (const OwnParameter& parameter : entry.parameters) {
    const auto given = values.find(parameter.key);
    if (given != values.end()) own.set(parameter.key, parameter.read(given->second));
  }
  return own;
}

struct TinyModel {
  /// What the options leave open is taken from the graph and the encoder's options.
  TinyModel(const std::string& name, MethodOptions options, Graph made = two_groups(),
            const OwnValues& own = {})
      : graph(std::move(made)),
        encoder(
            make_encoder(options.encoder, feature_cols(graph.features), parameters, graph.nodes())),
        inputs(context, graph, options.encoder) {
    options.dim = options.encoder.dim;
    options.features = feature_cols(graph.features);
    options.nodes = graph.nodes();
    options.classes = graph.classes();
    options.first_width = encoder->first_width();
    options.own = own_settings(name, own);
    method = find_method(name).make(options, parameters);
  }

  EpochPass pass(std::uint32_t epoch = 0, bool training = true) {
    return {context,
            inputs,
            *encoder,
            {.seed = 5, .epoch = static_cast<int>(epoch), .step = epoch, .training = training}};
  }
  EpochLoss loss(std::uint32_t epoch = 0) {
    EpochPass one = pass(epoch);
    return method->loss(one);
  }

  at::Tensor parameter(const std::string& name) const {
    for (const NamedTensor& item : parameters.all()) {
      if (item.name == name) return item.value;
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
  }

  /// Steps of Adam for the epochs first … last - 1; the losses.
  std::vector<double> train(int first, int last, double lr = 0.02) {
    std::vector<double> losses;
    AdamStep settings{.lr = lr};
    std::map<std::string, std::pair<at::Tensor, at::Tensor>> moments;
    for (int epoch = first; epoch < last; ++epoch) {
      EpochLoss step = loss(static_cast<std::uint32_t>(epoch));
      losses.push_back(step.loss.item<double>());
      step.loss.backward();
      for (const NamedTensor& item : parameters.all()) {
        at::Tensor value = item.value;
        if (!value.grad().defined()) continue;
        auto& [one, two] = moments[item.name];
        if (!one.defined()) one = at::zeros_like(value.detach());
        if (!two.defined()) two = at::zeros_like(value.detach());
        adam_step(value.detach(), value.grad(), one, two, settings);
        value.mutable_grad().reset();
      }
      ++settings.step;
    }
    return losses;
  }

  Context context = test::context();
  Graph graph;
  ParameterList parameters{3, tensor_device()};
  std::unique_ptr<Encoder> encoder;
  GraphInputs inputs;
  std::unique_ptr<Method> method;
};

/// The parameters in double, by name.
using Values = std::map<std::string, at::Tensor>;

/// Value and gradients, on the device under test, of the method's loss are those of `formula`,
/// written in plain operations in double. A parameter that the formula does not use must have no
/// gradient; those named `flat` have one of 0 by the formula, and no others.
inline void expect_formula(TinyModel& model, std::uint32_t epoch,
                           const std::function<at::Tensor(Values&)>& formula,
                           double tolerance = 2e-4, const std::set<std::string>& flat = {}) {
  const at::Tensor found = model.loss(epoch).loss;
  found.backward();
  Values values;
  for (const NamedTensor& item : model.parameters.all()) {
    values[item.name] = on_host(item.value).to(at::kDouble).clone().set_requires_grad(true);
  }
  const at::Tensor wanted = formula(values);
  EXPECT_NEAR(found.item<double>(), wanted.item<double>(), 1e-5);
  wanted.backward();
  for (const NamedTensor& item : model.parameters.all()) {
    const at::Tensor exact = values[item.name].grad();
    at::Tensor value = item.value;
    if (!exact.defined()) {
      EXPECT_TRUE(!value.grad().defined() || value.grad().abs().max().item<double>() == 0)
          << item.name;
    } else {
      ASSERT_TRUE(value.grad().defined()) << item.name;
      const double scale = exact.abs().max().item<double>();
      EXPECT_EQ(scale == 0, flat.contains(item.name)) << item.name;
      EXPECT_LT((on_host(value.grad()).to(at::kDouble) - exact).abs().max().item<double>(),
                tolerance * scale + 1e-7)
          << item.name;
    }
    value.mutable_grad().reset();
  }
}

inline at::Tensor dense_features(const Graph& graph) {
  const DenseMatrix all = to_dense(graph.features);
  return at::tensor(std::vector<float>(all.values.begin(), all.values.end()))
      .view({all.rows, all.cols})
      .to(at::kDouble);
}

/// A as it is stored, in double.
inline at::Tensor dense_adjacency(const CsrMatrix& adjacency) {
  at::Tensor a = at::zeros({adjacency.rows, adjacency.cols}, at::kDouble);
  for (std::int64_t u = 0; u < adjacency.rows; ++u) {
    for (std::int64_t e = adjacency.offsets[u]; e < adjacency.offsets[u + 1]; ++e) {
      a[u][adjacency.columns[e]] += adjacency.value(e);
    }
  }
  return a;
}

/// D^-1/2 A D^-1/2 of a symmetric matrix.
inline at::Tensor symmetric_norm(const at::Tensor& a) {
  const at::Tensor scale = a.sum(1).rsqrt();
  return a * scale.unsqueeze(1) * scale.unsqueeze(0);
}

/// Â of an undirected graph.
inline at::Tensor gcn_matrix(const Graph& graph) {
  return symmetric_norm(dense_adjacency(graph.adjacency) + at::eye(graph.nodes(), at::kDouble));
}

inline at::Tensor with_slope(const at::Tensor& x, const at::Tensor& slope) {
  return at::where(x > 0, x, x * slope);
}

/// One layer of GCN.
inline at::Tensor gcn_layer(const at::Tensor& matrix, const at::Tensor& features,
                            const Values& values, const std::string& prefix = "encoder.0.") {
  return with_slope(
      matrix.mm(features.mm(values.at(prefix + "weight"))) + values.at(prefix + "bias"),
      values.at(prefix + "slope"));
}

}  // namespace creg::test
