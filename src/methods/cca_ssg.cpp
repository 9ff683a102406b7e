// CCA-SSG: the two views of a graph must agree channel by channel, and the channels of each view
// must have nothing in common. There are no negatives, and no head.
#include <torch/types.h>

#include "creg/contrast/dropped_view.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"

namespace creg {
namespace {

/// Every column with mean 0 and length 1, so that inner products of columns are correlations. A
/// column that is the same for all nodes, but for rounding, becomes zeros and gets no gradient.
at::Tensor standardised(const at::Tensor& rows) {
  constexpr double rounding = 1e-12;
  constexpr double least = 1e-30;
  const at::Tensor mean = rows.mean(0, true);
  const at::Tensor centred = rows - mean;
  const at::Tensor squares = centred.square().sum(0, true);
  const double share = rounding * static_cast<double>(rows.size(0));
  const at::Tensor varies = squares.detach() > share * mean.detach().square() + least;
  return centred * at::where(varies, squares.clamp_min(least).rsqrt(), at::zeros_like(squares));
}

/// How far the columns are from being orthonormal: ||Z'Z - I||².
at::Tensor redundancy(const at::Tensor& columns) {
  return (columns.t().mm(columns) - at::eye(columns.size(1), columns.options())).square().sum();
}

class CcaSsg final : public Method {
 public:
  CcaSsg(const MethodOptions& options, ParameterList& /*parameters*/)
      : encoder_(options.encoder),
        lambda_(options.own.real("cca_lambda")),
        first_(drop_rates(options.views, 0)),
        second_(drop_rates(options.views, 1)) {}

  EpochLoss loss(EpochPass& pass) override {
    invariant(!pass.inputs().batch, "cca-ssg is not trained in batches");
    const at::Tensor one = standardised(encode_dropped(pass, encoder_, first_, 0));
    const at::Tensor other = standardised(encode_dropped(pass, encoder_, second_, 1));
    const at::Tensor apart = (one - other).square().sum() / 2;
    const at::Tensor loss = apart + lambda_ * (redundancy(one) + redundancy(other));
    // The mean correlation of a channel with itself in the other view.
    const at::Tensor agreement = 1 - apart.detach() / one.size(1);
    return {loss, agreement.sigmoid(), {}, pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  EncoderOptions encoder_;
  double lambda_;
  DropRates first_;
  DropRates second_;
};

/// Two views: centred and standardised rows of each, their difference, and gradients. The clean
/// pass counts only where Contrast-Reg asks for it.
MethodMemory memory_of_channels(const MethodOptions& options) {
  const auto d = static_cast<double>(options.dim);
  return {.passes = options.contrast_reg ? 2 : 1,
          .views = 2,
          .numbers_per_node = 6 * d,
          .more = {{"correlations", 4 * 4 * options.dim * options.dim}}};
}

}  // namespace

namespace methods {

MethodEntry cca_ssg() {
  return {.name = "cca-ssg",
          .about = "channels that agree in two views and have nothing in common",
          .uses = {"drop_edges1", "drop_edges2", "drop_features1", "drop_features2"},
          .parameters = {own_real("cca_lambda", 1e-3, 0, 1e3,
                                  "weight of what channels of one view have in common")},
          .memory = memory_of_channels,
          .make = made_by<CcaSsg>};
}

}  // namespace methods
}  // namespace creg
