// The single layer: logits, loss and gradient in one pass over the pairs' rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "kernels/logistic.h"
#include "kernels/row_combine.h"
#include "kernels/target_clones.h"
#include "learn/link/pair_model.h"

namespace creg::learn {
namespace {

/// Pairs whose gradients are summed before they are widened to double.
constexpr std::int64_t chunk = 512;
/// Products that wait for their residuals, then enter the gradient together.
constexpr int pair_lanes = 4;

/// out = a * b elementwise; returns its product with w.
CREG_INLINE float product_and_dot(const float* __restrict a, const float* __restrict b,
                                  const float* __restrict w, float* __restrict out,
                                  std::int64_t width) {
  float sums[16] = {};
  std::int64_t j = 0;
  for (; j + 16 <= width; j += 16) {
    for (int l = 0; l < 16; ++l) {
      out[j + l] = a[j + l] * b[j + l];
      sums[l] += out[j + l] * w[j + l];
    }
  }
  for (; j < width; ++j) {
    out[j] = a[j] * b[j];
    sums[j % 16] += out[j] * w[j];
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

struct LinearKernel {
  const float* rows = nullptr;
  std::int64_t width = 0;
  const std::int32_t* from = nullptr;
  const std::int32_t* to = nullptr;
  const float* weights = nullptr;  ///< the intercept comes last
};

CREG_TARGET_CLONES
void linear_scores(const LinearKernel& k, float* scratch, float* out, std::int64_t begin,
                   std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    out[i] = k.weights[k.width] + product_and_dot(k.rows + k.from[i] * k.width,
                                                  k.rows + k.to[i] * k.width, k.weights, scratch,
                                                  k.width);
  }
}

/// Adds the pairs' gradients, not yet divided by their number; returns the sum of the losses.
CREG_TARGET_CLONES
double linear_gradient(const LinearKernel& k, std::int64_t positives, float* scratch,
                       float* gradient, std::int64_t begin, std::int64_t end) {
  double loss = 0;
  for (std::int64_t i = begin; i < end; i += pair_lanes) {
    const int count = end - i < pair_lanes ? static_cast<int>(end - i) : pair_lanes;
    const float* products[pair_lanes] = {};
    float residuals[pair_lanes] = {};
    for (int l = 0; l < count; ++l) {
      float* const product = scratch + l * k.width;
      const float score = k.weights[k.width] + product_and_dot(k.rows + k.from[i + l] * k.width,
                                                               k.rows + k.to[i + l] * k.width,
                                                               k.weights, product, k.width);
      const kernels::Logistic value = i + l < positives
                                          ? kernels::log_sigmoid_loss(score, false)
                                          : kernels::log_complement_loss(score, false);
      loss += value.loss;
      products[l] = product;
      residuals[l] = value.derivative;
      gradient[k.width] += value.derivative;
    }
    cpu::combine_rows(gradient, products, residuals, count, k.width, true);
  }
  return loss;
}

class LinearPairModel final : public PairModel {
 public:
  explicit LinearPairModel(const DenseMatrix& rows) : PairModel(rows) {
    weights_.assign(static_cast<std::size_t>(rows.cols) + 1, 0.0);
    weights_changed();
  }

  std::int64_t fan_in(std::int64_t /*weight*/) const override { return rows_.cols; }

  void weights_changed() override { narrow_.assign(weights_.begin(), weights_.end()); }

  void scores(const Context& context, const PairList& pairs, std::span<float> out) const override {
    const LinearKernel kernel = kernel_of(pairs);
    parallel_for(context, 0, pairs.size(), chunk, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(rows_.cols));
      linear_scores(kernel, scratch.data(), out.data(), begin, end);
    });
  }

  double loss(const Context& context, const PairList& pairs, std::int64_t positives,
              AlignedVector& gradient) const override {
    const LinearKernel kernel = kernel_of(pairs);
    const auto chunks = static_cast<std::size_t>((pairs.size() + chunk - 1) / chunk);
    const std::size_t width = narrow_.size();
    std::vector<float> partial(chunks * width, 0.0F);
    std::vector<double> losses(chunks);
    parallel_for(context, 0, pairs.size(), chunk, [&](std::int64_t begin, std::int64_t end) {
      const auto piece = static_cast<std::size_t>(begin / chunk);
      std::vector<float> scratch(pair_lanes * static_cast<std::size_t>(rows_.cols));
      losses[piece] = linear_gradient(kernel, positives, scratch.data(),
                                      partial.data() + piece * width, begin, end);
    });
    const double share = 1 / static_cast<double>(pairs.size());
    gradient.assign(width, 0.0);
    double total = 0;
    for (std::size_t piece = 0; piece < chunks; ++piece) {
      total += losses[piece];
      for (std::size_t j = 0; j < width; ++j) gradient[j] += partial[piece * width + j];
    }
    for (double& value : gradient) value *= share;
    return total * share;
  }

 private:
  LinearKernel kernel_of(const PairList& pairs) const {
    return {rows_.values.data(), rows_.cols, pairs.from.data(), pairs.to.data(), narrow_.data()};
  }

  std::vector<float> narrow_;  // the weights as the kernels take them
};

}  // namespace

std::shared_ptr<PairModel> make_linear_model(const DenseMatrix& rows) {
  return std::make_shared<LinearPairModel>(rows);
}

CREG_TARGET_CLONES
void pair_products(const float* rows, std::int64_t width, const std::int32_t* from,
                   const std::int32_t* to, float* out, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const float* __restrict a = rows + from[i] * width;
    const float* __restrict b = rows + to[i] * width;
    float* __restrict product = out + (i - begin) * width;
    for (std::int64_t j = 0; j < width; ++j) product[j] = a[j] * b[j];
  }
}

}  // namespace creg::learn
