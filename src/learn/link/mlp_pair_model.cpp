// The predictor with a hidden layer: blocks of pairs through libtorch's matrix product.
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/logistic.h"
#include "learn/link/pair_model.h"
#include "learn/link_predictor.h"
#include "ops/runtime.h"
#include "ops/tensors.h"

namespace creg::learn {
namespace {

/// Pairs whose products are in memory together.
constexpr std::int64_t block = 4096;
constexpr std::int64_t product_grain = 256;

/// Weights in one vector: [width, hidden] and the biases of the hidden layer, then the output's.
class MlpPairModel final : public PairModel {
 public:
  MlpPairModel(const Context& context, const DenseMatrix& rows, std::int64_t hidden)
      : PairModel(rows), hidden_(hidden) {
    prepare_torch(context);
    weights_.assign(static_cast<std::size_t>(first_layer() + hidden_ + 1), 0.0);
    weights_changed();
  }

  std::int64_t fan_in(std::int64_t weight) const override {
    return weight < first_layer() ? rows_.cols : hidden_;
  }

  void weights_changed() override {
    const at::NoGradGuard no_grad;
    const at::Tensor all =
        at::from_blob(weights_.data(), {static_cast<std::int64_t>(weights_.size())}, at::kDouble)
            .to(at::kFloat);
    matrix_ = all.narrow(0, 0, rows_.cols * hidden_).reshape({rows_.cols, hidden_});
    bias_ = all.narrow(0, rows_.cols * hidden_, hidden_);
    output_ = all.narrow(0, first_layer(), hidden_);
    output_bias_ = static_cast<float>(weights_.back());
  }

  void scores(const Context& context, const PairList& pairs, std::span<float> out) const override {
    const at::NoGradGuard no_grad;
    for (std::int64_t begin = 0; begin < pairs.size(); begin += block) {
      const std::int64_t end = std::min(begin + block, pairs.size());
      const at::Tensor units = hidden_units(products(context, pairs, begin, end));
      const auto logits = host_array<float>(logits_of(units));
      std::copy(logits.begin(), logits.end(), out.begin() + begin);
    }
  }

  double loss(const Context& context, const PairList& pairs, std::int64_t positives,
              AlignedVector& gradient) const override {
    const at::NoGradGuard no_grad;
    at::Tensor d_matrix = at::zeros_like(matrix_);
    at::Tensor d_bias = at::zeros_like(bias_);
    at::Tensor d_output = at::zeros_like(output_);
    double d_output_bias = 0;
    double total = 0;
    for (std::int64_t begin = 0; begin < pairs.size(); begin += block) {
      const std::int64_t end = std::min(begin + block, pairs.size());
      const at::Tensor inputs = products(context, pairs, begin, end);
      const at::Tensor units = hidden_units(inputs);
      at::Tensor residuals = logits_of(units);  // logits become derivatives
      std::int64_t i = begin;
      for (float& value : host_span<float>(residuals)) {
        const kernels::Logistic one = i++ < positives ? kernels::log_sigmoid_loss(value, false)
                                                      : kernels::log_complement_loss(value, false);
        total += one.loss;
        d_output_bias += one.derivative;
        value = one.derivative;
      }
      d_output.add_(at::mv(units.t(), residuals));
      const at::Tensor d_units =
          at::outer(residuals, output_).mul_(units.gt(0));  // no slope at and below 0
      d_bias.add_(d_units.sum(0));
      d_matrix.addmm_(inputs.t(), d_units);
    }
    const double share = 1 / static_cast<double>(pairs.size());
    const auto slopes = host_array<float>(at::cat({d_matrix.reshape({-1}), d_bias, d_output}));
    gradient.resize(weights_.size());
    for (std::int64_t i = 0; i < slopes.size(); ++i) {
      gradient[static_cast<std::size_t>(i)] = share * slopes[i];
    }
    gradient.back() = share * d_output_bias;
    return total * share;
  }

 private:
  std::int64_t first_layer() const { return (rows_.cols + 1) * hidden_; }

  at::Tensor products(const Context& context, const PairList& pairs, std::int64_t begin,
                      std::int64_t end) const {
    at::Tensor out = at::empty({end - begin, rows_.cols}, at::kFloat);
    float* const values = host_span<float>(out).data();
    parallel_for(context, begin, end, product_grain, [&](std::int64_t first, std::int64_t last) {
      pair_products(rows_.values.data(), rows_.cols, pairs.from.data(), pairs.to.data(),
                    values + (first - begin) * rows_.cols, first, last);
    });
    return out;
  }
  at::Tensor hidden_units(const at::Tensor& inputs) const {
    return at::addmm(bias_, inputs, matrix_).relu_();
  }
  at::Tensor logits_of(const at::Tensor& units) const {
    return at::mv(units, output_).add_(output_bias_);
  }

  std::int64_t hidden_;
  at::Tensor matrix_;
  at::Tensor bias_;
  at::Tensor output_;
  float output_bias_ = 0;
};

}  // namespace

std::shared_ptr<PairModel> make_mlp_model(const Context& context, const DenseMatrix& rows,
                                          std::int64_t hidden) {
  return std::make_shared<MlpPairModel>(context, rows, hidden);
}

}  // namespace creg::learn
