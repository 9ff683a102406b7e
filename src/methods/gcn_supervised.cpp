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
    const std::int64_t count = inputs.labelled.numel();
    return {pass.share(loss, count), pass.share(right, count),
            pass.share((1 - right) / wrong_classes, count), count};
  }

  at::Tensor class_scores(EpochPass& pass) override {
    at::Tensor rows = pass.inputs().part ? pass.nodes() : pass.embedding();
    if (pass.settings().training && dropout_ > 0) {
      rows = dropped_rows(
          rows,
          {.rate = dropout_,
           .noise = {pass.settings().seed, Purpose::method_draw, pass.settings().step},
           .numbers = pass.inputs().part ? pass.inputs().numbers.narrow(0, 0, pass.inputs().nodes)
                                         : at::Tensor()});
    }
    return aggregate(pass.inputs().propagation, pass.inputs().hops.with_halo(at::mm(rows, weight_)),
                     {.bias = bias_});
  }

  bool repeats(int /*epoch*/) const override { return true; }

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
          .make = made_by<GcnSupervised>,
          .not_in_parts = in_parts};
}

}  // namespace methods
}  // namespace creg
