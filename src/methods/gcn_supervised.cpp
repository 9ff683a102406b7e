// The supervised baseline: the encoder with one more GCN layer that scores the classes, trained by
// the labels of the training nodes.
#include <torch/types.h>

#include <algorithm>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/methods/method.h"
#include "creg/ops/aggregate.h"
#include "nn/dropout.h"

namespace creg {
namespace {

class GcnSupervised final : public Method {
 public:
  GcnSupervised(const MethodOptions& options, ParameterList& parameters)
      : dropout_(options.encoder.dropout),
        weight_(parameters.uniform("classifier.weight", {options.dim, options.classes},
                                   glorot_bound(options.dim, options.classes))),
        bias_(parameters.constant("classifier.bias", {options.classes}, 0)) {}

  EpochLoss loss(EpochPass& pass) override {
    const GraphInputs& inputs = pass.inputs();
    if (!inputs.labelled.defined()) {
      fail_input({.what = "gcn-supervised learns from labels, and there are none to learn from",
                  .file = "method",
                  .found = "gcn-supervised",
                  .expected = "a dataset with labels and a split with training nodes",
                  .hint = "all other methods need no labels"});
    }
    const at::Tensor chances =
        at::log_softmax(class_scores(pass).index_select(0, inputs.labelled), 1);
    const at::Tensor loss = at::nll_loss(chances, inputs.labels);
    const at::Tensor right =
        chances.detach().exp().gather(1, inputs.labels.unsqueeze(1)).mean().to(at::kDouble);
    const auto wrong_classes = static_cast<double>(std::max<std::int64_t>(1, chances.size(1) - 1));
    return {loss, right, (1 - right) / wrong_classes, inputs.labelled.numel()};
  }

  at::Tensor class_scores(EpochPass& pass) override {
    at::Tensor rows = pass.embedding();
    if (pass.settings().training && dropout_ > 0) {
      const std::uint64_t noise =
          RandomStream(pass.settings().seed, Purpose::method_draw, pass.settings().step).bits64();
      rows = dropped_rows(rows, {.rate = dropout_, .noise = noise});
    }
    return aggregate(pass.inputs().propagation, at::mm(rows, weight_), {.bias = bias_});
  }

  // As its authors: the first layer alone is held back.
  bool decays(const std::string& parameter) const override {
    return parameter.rfind("encoder.0.", 0) == 0;
  }

 private:
  double dropout_;
  at::Tensor weight_;  // [dim, classes]
  at::Tensor bias_;
};

}  // namespace

namespace methods {

MethodEntry gcn_supervised() {
  return {.name = "gcn-supervised",
          .about = "the classes of the training nodes: the supervised baseline",
          .labels = true,
          .make = made_by<GcnSupervised>};
}

}  // namespace methods
}  // namespace creg
