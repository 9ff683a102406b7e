// MVGRL: nodes of the graph with the summary of its diffusion, and the other way round.
#include <torch/types.h>

#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "creg/ops/pair_loss.h"
#include "methods/mvgrl.h"

namespace creg {

MethodMemory memory_of_cross_view(const MethodOptions& options) {
  return {.parameters = options.dim * options.dim};
}

const DualEncoder& dual_encoder(const EpochPass& pass) {
  const auto* const dual = dynamic_cast<const DualEncoder*>(&pass.encoder());
  invariant(dual != nullptr, "the entry admits a dual encoder alone");
  return *dual;
}

CrossView::CrossView(const MethodOptions& options, ParameterList& parameters)
    : log_(options.contrast.log),
      weight_(parameters.uniform("discriminator.weight", {options.dim, options.dim},
                                 glorot_bound(options.dim, options.dim))) {}

EpochLoss CrossView::loss(EpochPass& pass) const {
  const DualEncoder& encoder = dual_encoder(pass);
  EncoderPass shuffled = pass.encoder_pass(1);
  shuffled.order = pass.corruption();
  std::array<at::Tensor, 2> clean;
  std::array<at::Tensor, 2> corrupted;
  for (const int view : {0, 1}) {
    const auto at = static_cast<std::size_t>(view);
    clean[at] = pass.finished(
        encoder.part(view, pass.inputs().hops, pass.projected(), pass.encoder_pass(0)));
    corrupted[at] =
        pass.finished(encoder.part(view, pass.inputs().hops, pass.projected(), shuffled));
  }
  const auto floats = clean.front().options().requires_grad(false);
  at::Tensor loss = at::zeros({}, floats);
  at::Tensor positive = at::zeros({}, floats.dtype(at::kDouble));
  at::Tensor negative = at::zeros_like(positive);
  for (const std::size_t view : {0, 1}) {
    const at::Tensor summary = at::sigmoid(clean[1 - view].mean(0));
    const at::Tensor direction = at::mv(weight_, summary);
    loss = loss + (direction_loss(clean[view], direction, 1, log_) +
                   direction_loss(corrupted[view], direction, -1, log_)) /
                      4;
    const at::NoGradGuard no_grad;
    positive += at::mv(clean[view], direction).sigmoid().mean() / 2;
    negative += at::mv(corrupted[view], direction).sigmoid().mean() / 2;
  }
  return {loss, positive, negative, pass.inputs().nodes};
}

namespace {

class Mvgrl final : public Method {
 public:
  Mvgrl(const MethodOptions& options, ParameterList& parameters) : views_(options, parameters) {}

  EpochLoss loss(EpochPass& pass) override { return views_.loss(pass); }
  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  CrossView views_;
};

}  // namespace

namespace methods {

MethodEntry mvgrl() {
  return {.name = "mvgrl",
          .about = "a node with a summary of the graph's diffusion, and the other way round",
          .encoders = {EncoderKind::dual},
          .corrupts = true,
          .uses = {"log"},
          .memory = memory_of_cross_view,
          .make = made_by<Mvgrl>};
}

}  // namespace methods
}  // namespace creg
