// BGRL: what a small network predicts from one view of the graph must be what a slow copy of the
// encoder sees in the other view. There are no negatives.
#include <torch/types.h>

#include <cmath>
#include <numbers>
#include <string>

#include "creg/contrast/dropped_view.h"
#include "creg/contrast/view_contrast.h"
#include "creg/methods/method.h"
#include "methods/kept_state.h"
#include "methods/view_methods.h"
#include "ops/slow_copy.h"

namespace creg {
namespace {

/// The share of itself that the slow copy keeps at the first step; it rises to 1 at the last.
constexpr double first_share = 0.99;

at::Tensor mean_cosine(const at::Tensor& a, const at::Tensor& b) {
  return at::cosine_similarity(a, b, 1).mean();
}

class Bgrl final : public Method {
 public:
  Bgrl(const MethodOptions& options, ParameterList& parameters)
      : options_(options),
        first_(drop_rates(options.views, 0)),
        second_(drop_rates(options.views, 1)),
        encoder_(parameters.all()),
        slow_parameters_(0, parameters.device()),
        slow_(make_encoder(options.encoder, options.features, slow_parameters_, options.nodes)),
        predictor_(options.dim, options.views.projection, parameters) {
    follow(0);
  }

  EpochLoss loss(EpochPass& pass) override {
    const int epoch = pass.settings().epoch;
    if (epoch > 0) follow(moving(epoch));
    const EncoderOptions& encoder = options_.encoder;
    const at::Tensor one = predictor_.project(encode_dropped(pass, encoder, first_, 0));
    const at::Tensor two = predictor_.project(encode_dropped(pass, encoder, second_, 1));
    at::Tensor slow_one;
    at::Tensor slow_two;
    {
      const at::NoGradGuard no_grad;
      const EpochPass slow(pass.context(), pass.inputs(), *slow_, pass.settings());
      slow_one = encode_dropped(slow, encoder, first_, 0);
      slow_two = encode_dropped(slow, encoder, second_, 1);
    }
    const at::Tensor agreement = mean_cosine(one, slow_two) + mean_cosine(two, slow_one);
    const at::Tensor sigma = at::sigmoid(agreement.detach() / 2);
    return {2 - agreement, sigma, {}, pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int epoch) const override { return epoch > 0; }

  /// The share of itself that the slow copy keeps.
  double moving(int epoch) const override {
    const double done = static_cast<double>(epoch) / std::max(1, options_.epochs);
    return 1 - (1 - first_share) * (std::cos(std::numbers::pi * done) + 1) / 2;
  }

  std::vector<NamedTensor> state() const override {
    std::vector<NamedTensor> kept;
    for (const NamedTensor& slow : slow_parameters_.all()) {
      kept.push_back({"slow." + slow.name, slow.value.detach().clone()});
    }
    return kept;
  }
  void restore(const std::vector<NamedTensor>& state) override {
    const at::NoGradGuard no_grad;
    for (const NamedTensor& slow : slow_parameters_.all()) {
      slow.value.detach().copy_(
          kept_tensor(state, "slow." + slow.name, at::kFloat, slow.value.sizes()));
    }
  }

 private:
  /// The slow copy keeps `share` of itself and takes the rest from the encoder.
  void follow(double share) {
    for (std::size_t i = 0; i < encoder_.size(); ++i) {
      keep_share(slow_parameters_.all()[i].value, encoder_[i].value, share);
    }
  }

  MethodOptions options_;
  DropRates first_;
  DropRates second_;
  std::vector<NamedTensor> encoder_;  // its parameters: they are the first in the list
  ParameterList slow_parameters_;
  std::unique_ptr<Encoder> slow_;
  ProjectionHead predictor_;
};

}  // namespace

namespace methods {

MethodEntry bgrl() {
  return {.name = "bgrl",
          .about = "a node in one view with a slow copy's node in the other",
          .uses = keys_of_views(),
          .check = check_views,
          .memory = memory_of_views,
          .make = made_by<Bgrl>};
}

}  // namespace methods
}  // namespace creg
