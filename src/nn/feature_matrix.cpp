#include "creg/nn/inputs.h"

#include <torch/types.h>

#include <utility>
#include <variant>
#include <vector>

#include "creg/core/error.h"
#include "creg/ops/aggregate.h"
#include "nn/dropout.h"
#include "ops/dense.h"
#include "ops/tensors.h"

namespace creg {

FeatureMatrix::FeatureMatrix(const Context& context, const Features& features)
    : rows_(feature_rows(features)), cols_(feature_cols(features)) {
  invariant(has_features(features), "a FeatureMatrix has features");
  const double cells = static_cast<double>(rows_) * static_cast<double>(cols_);
  const auto* csr = std::get_if<CsrMatrix>(&features);
  if (csr != nullptr && static_cast<double>(csr->nonzeros()) <= dense_above * cells) {
    sparse_ = SparseMatrix(context, *csr);
  } else {
    dense_ = as_tensor(context, to_dense(features));
  }
}

FeatureMatrix::FeatureMatrix(const Context& context, CsrTensors sparse)
    : rows_(sparse.rows), cols_(sparse.cols) {
  const double cells = static_cast<double>(rows_) * static_cast<double>(cols_);
  if (static_cast<double>(sparse.nonzeros()) <= dense_above * cells) {
    sparse_ = SparseMatrix(context, std::move(sparse));
  } else {
    dense_ = dense_of(sparse);
  }
}

FeatureMatrix::FeatureMatrix(at::Tensor dense)
    : rows_(dense.size(0)), cols_(dense.size(1)), dense_(std::move(dense)) {}

FeatureMatrix FeatureMatrix::with_columns(const at::Tensor& scale) const {
  FeatureMatrix out = *this;
  out.scale_ = scale_.defined() ? scale_ * scale : scale;
  return out;
}

FeatureMatrix FeatureMatrix::scaled(double factor) const {
  if (factor == 1 || cols_ == 0) return *this;
  const at::Device device = sparse() ? sparse_.forward().columns.device() : dense_.device();
  return with_columns(at::full({cols_}, factor, at::dtype(at::kFloat).device(device)));
}

FeatureMatrix FeatureMatrix::dropped(double rate, const RandomKey& noise,
                                     const at::Tensor& numbers) const {
  if (rate == 0) return *this;
  FeatureMatrix out = *this;
  const DropoutStream stream{rate, noise, 0, numbers};
  if (sparse()) {
    const CsrTensors& csr = sparse_.forward();
    const at::Tensor kept = entry_mask(csr.offsets, csr.nonzeros(), stream);
    out.sparse_ = sparse_.with_values(csr.values.defined() ? kept.mul_(csr.values) : kept);
  } else {
    out.dense_ = dense_ * row_mask(dense_.device(), rows_, cols_, stream);
  }
  return out;
}

at::Tensor FeatureMatrix::times(const at::Tensor& weights) const {
  const at::Tensor scaled = scale_.defined() ? scale_.unsqueeze(1) * weights : weights;
  return sparse() ? aggregate(sparse_, scaled) : at::mm(dense_, scaled);
}

at::Tensor FeatureMatrix::dense() const {
  if (!sparse()) return scale_.defined() ? dense_ * scale_ : dense_;
  const at::Tensor all = dense_of(sparse_.forward());
  return scale_.defined() ? all * scale_ : all;
}

std::int64_t FeatureMatrix::bytes() const {
  return sparse() ? sparse_.bytes() : static_cast<std::int64_t>(dense_.nbytes());
}

std::vector<at::Tensor> FeatureMatrix::tensors() const {
  std::vector<at::Tensor> out = sparse() ? sparse_.tensors() : std::vector<at::Tensor>{dense_};
  if (scale_.defined()) out.push_back(scale_);
  return out;
}

}  // namespace creg
