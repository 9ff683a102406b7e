// A method that the library does not have: neighbours' embeddings should be alike.
#include <creg/creg.h>
#include <creg/methods/method.h>
#include <creg/ops/aggregate.h>
#include <torch/types.h>

#include <iostream>

namespace {

class Alike final : public creg::Method {
 public:
  Alike(const creg::MethodOptions& options, creg::ParameterList& /*parameters*/)
      : spread_(options.own.real("spread")) {}

  creg::EpochLoss loss(creg::EpochPass& pass) override {
    const at::Tensor& h = pass.embedding();
    const at::Tensor around = creg::aggregate(pass.inputs().propagation, h);
    return {.loss = (h - around).pow(2).mean() - spread_ * (h - h.mean(0)).abs().mean(),
            .anchors = pass.inputs().nodes};
  }

 private:
  double spread_;
};

}  // namespace

int main() {
  const creg::Context context({.threads = 1});
  const creg::Data data = creg::load(context, "synthetic:cora@0.1");
  creg::RunSpec spec;
  spec.settings = {{"method", "alike"}, {"spread", "0.5"}, {"dim", "16"}, {"epochs", "20"}};
  spec.added = std::make_shared<const creg::MethodEntry>(creg::MethodEntry{
      .name = "alike",
      .about = "a node with the mean of its neighbours",
      .parameters = {creg::own_real("spread", 0.1, 0, 1, "how far nodes keep from their mean")},
      .make = creg::made_by<Alike>});
  const creg::RunResult run = creg::train(context, data, spec);
  const auto& epochs = run.seeds.front().training.epochs;
  if (epochs.back().contrast < epochs.front().contrast) std::cout << "learnt\n";
}
