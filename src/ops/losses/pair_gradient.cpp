#include "ops/losses/pair_gradient.h"

#include <torch/types.h>

#include <numeric>

#include "kernels/aggregate.h"
#include "ops/products/parallel_rows.h"

namespace creg {

MetBy::MetBy(std::int64_t rows, std::int64_t pairs)
    : offsets_(static_cast<std::size_t>(rows) + 1, 0),
      anchors_(static_cast<std::size_t>(pairs)),
      coefficients_(static_cast<std::size_t>(pairs)) {}

void MetBy::start_putting() {
  std::inclusive_scan(offsets_.begin(), offsets_.end(), offsets_.begin());
  next_.assign(offsets_.begin(), offsets_.end() - 1);
}

void MetBy::gather(const at::Tensor& anchors, at::Tensor& d_rows, bool accumulate) const {
  cpu::RowProduct product;
  product.offsets = offsets_.data();
  product.columns = anchors_.data();
  product.values = coefficients_.data();
  product.x = anchors.data_ptr<float>();
  product.width = anchors.size(1);
  product.out = d_rows.data_ptr<float>();
  product.accumulate = accumulate;
  parallel_rows(product.offsets, d_rows.size(0), [&](std::int64_t begin, std::int64_t end) {
    cpu::multiply_rows(product, begin, end);
  });
}

torch::autograd::variable_list PairGradient::apply(torch::autograd::variable_list&& gradients) {
  const at::NoGradGuard no_grad;
  torch::autograd::variable_list result(2);
  if (!gradients[0].defined()) return result;
  const double upstream = gradients[0].item<double>();
  if (upstream != 1.0) {
    coefficients = coefficients * upstream;
    d_anchors = d_anchors * upstream;
  }
  result[0] = d_anchors;
  if (task_should_compute_output(1)) {
    // One tensor in both places: its second gradient is added in place to the first.
    at::Tensor d_rows = same ? d_anchors : at::empty({rows, anchors.size(1)}, anchors.options());
    met_by().gather(anchors, d_rows, same);
    if (same) result[0] = at::Tensor();
    result[1] = d_rows;
  }
  return result;
}

void PairGradient::release_variables() {
  anchors.reset();
  coefficients.reset();
  d_anchors.reset();
}

}  // namespace creg
