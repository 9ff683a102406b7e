#include <gtest/gtest.h>

#include "methods/tiny_model.h"
#include "support/expect_error.h"

namespace creg::gcn_supervised_test {
namespace {

using test::TinyModel;

const MethodOptions options{.encoder = {.dim = 6, .activation = ActivationKind::relu}};

void show_labels(TinyModel& model) {
  const Split& split = model.graph.splits.front();
  std::vector<std::int64_t> nodes(split.train.begin(), split.train.end());
  std::vector<std::int64_t> labels;
  for (const std::int64_t node : nodes) labels.push_back(model.graph.labels[node]);
  model.inputs.labelled = test::on(at::tensor(nodes, at::kLong));
  model.inputs.labels = test::on(at::tensor(labels, at::kLong));
}

TEST(GcnSupervised, IsTheCrossEntropyOfTheTrainingNodes) {
  TinyModel model("gcn-supervised", options);
  show_labels(model);
  const at::Tensor matrix = test::gcn_matrix(model.graph);
  const at::Tensor x = test::dense_features(model.graph);
  test::expect_formula(model, 0, [&](test::Values& p) {
    const at::Tensor h =
        at::relu(matrix.mm(x.mm(p.at("encoder.0.weight"))) + p.at("encoder.0.bias"));
    const at::Tensor scores = matrix.mm(h.mm(p.at("classifier.weight"))) + p.at("classifier.bias");
    const at::Tensor rows = scores.index_select(0, test::on_host(model.inputs.labelled));
    const at::Tensor labels = test::on_host(model.inputs.labels);
    const at::Tensor right = rows.gather(1, labels.unsqueeze(1)).squeeze(1);
    return (at::log(at::exp(rows).sum(1)) - right).mean();
  });
}

TEST(GcnSupervised, LearnsTheLabelsItSeesAndTellsTheOthers) {
  TinyModel model("gcn-supervised", options);
  show_labels(model);
  model.train(0, 100);
  EpochPass pass = model.pass(0, false);
  const at::Tensor found = test::on_host(model.method->class_scores(pass)).argmax(1);
  const auto share = [&](const Array<std::int32_t>& nodes) {
    double right = 0;
    for (const std::int32_t node : nodes) {
      right += found[node].item<std::int64_t>() == model.graph.labels[node] ? 1 : 0;
    }
    return right / static_cast<double>(nodes.size());
  };
  EXPECT_GT(share(model.graph.splits.front().train), 0.95);
  EXPECT_GT(share(model.graph.splits.front().test), 0.75);
}

TEST(GcnSupervised, DropsValuesWhileTrainingOnly) {
  MethodOptions dropping = options;
  dropping.encoder.dropout = 0.5;
  TinyModel model("gcn-supervised", dropping);
  show_labels(model);
  const auto scores = [&](std::uint32_t epoch, bool training) {
    EpochPass pass = model.pass(epoch, training);
    return test::on_host(model.method->class_scores(pass));
  };
  EXPECT_FALSE(scores(0, true).equal(scores(1, true)));
  EXPECT_TRUE(scores(0, true).equal(scores(0, true)));
  EXPECT_TRUE(scores(0, false).equal(scores(1, false)));
}

TEST(GcnSupervised, WeightDecayPullsAtTheFirstLayerAlone) {
  TinyModel model("gcn-supervised", options);
  EXPECT_TRUE(model.method->decays("encoder.0.weight"));
  EXPECT_FALSE(model.method->decays("encoder.1.weight"));
  EXPECT_FALSE(model.method->decays("classifier.weight"));
}

TEST(GcnSupervised, NeedsLabels) {
  TinyModel model("gcn-supervised", options);
  test::expect_error([&] { model.loss(); }, {"gcn-supervised", "labels"});
}

}  // namespace
}  // namespace creg::gcn_supervised_test
