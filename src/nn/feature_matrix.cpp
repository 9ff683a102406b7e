#include "creg/nn/feature_matrix.h"

#include <torch/types.h>

#include <variant>

#include "creg/core/error.h"
#include "creg/ops/aggregate.h"
#include "creg/ops/tensors.h"

namespace creg {

FeatureMatrix::FeatureMatrix(const Context& context, const Features& features)
    : rows_(feature_rows(features)), cols_(feature_cols(features)) {
  invariant(has_features(features), "a FeatureMatrix has features");
  const double cells = static_cast<double>(rows_) * static_cast<double>(cols_);
  const auto* csr = std::get_if<CsrMatrix>(&features);
  if (csr != nullptr && static_cast<double>(csr->nonzeros()) <= dense_above * cells) {
    sparse_ = SparseMatrix(context, *csr);
  } else {
    dense_ = as_tensor(to_dense(features));
  }
}

at::Tensor FeatureMatrix::times(const at::Tensor& weights) const {
  return sparse() ? aggregate(sparse_, weights) : at::mm(dense_, weights);
}

at::Tensor FeatureMatrix::dense() const {
  if (!sparse()) return dense_;
  const CsrTensors& csr = sparse_.forward();
  at::Tensor out = at::zeros({rows_, cols_}, at::kFloat);
  const auto* offsets = csr.offsets.data_ptr<std::int64_t>();
  const auto* columns = csr.columns.data_ptr<std::int32_t>();
  const auto* values = csr.values.defined() ? csr.values.data_ptr<float>() : nullptr;
  float* const cells = out.data_ptr<float>();
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
      cells[r * cols_ + columns[e]] += values == nullptr ? 1.0F : values[e];
    }
  }
  return out;
}

std::int64_t FeatureMatrix::bytes() const {
  return sparse() ? sparse_.bytes() : static_cast<std::int64_t>(dense_.nbytes());
}

}  // namespace creg
