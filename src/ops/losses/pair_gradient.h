// The way back through losses over pairs of an anchor and a row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ops/runtime/autograd_node.h"

namespace creg {

/// Anchors whose losses are summed in one piece, whatever the number of threads.
inline constexpr std::int64_t anchors_per_sum = 256;

/// Who met row y, and with which coefficient: pairs turned round. Filled in two rounds over the
/// pairs: count them all, then put them in the same order.
class MetBy {
 public:
  MetBy(std::int64_t rows, std::int64_t pairs);

  void count(std::int32_t row) { ++offsets_[static_cast<std::size_t>(row) + 1]; }
  void start_putting();
  void put(std::int32_t row, std::int32_t anchor, float coefficient) {
    const auto slot = static_cast<std::size_t>(next_[static_cast<std::size_t>(row)]++);
    anchors_[slot] = anchor;
    coefficients_[slot] = coefficient;
  }

  /// d_rows[y] = (d_rows[y] +) the sum of coefficient · anchors[a] over those who met y.
  void gather(const at::Tensor& anchors, at::Tensor& d_rows, bool accumulate) const;

 private:
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> next_;
  std::vector<std::int32_t> anchors_;
  std::vector<float> coefficients_;
};

/// The gradients of anchors and rows, in this order, from what the forward pass kept.
struct PairGradient : public torch::autograd::Node {
  at::Tensor anchors;       ///< detached
  at::Tensor coefficients;  ///< one per pair, for an upstream gradient of 1
  at::Tensor d_anchors;     ///< likewise
  std::int64_t rows = 0;
  bool same = false;  ///< anchors and rows are one tensor

  /// The pairs, turned round, with `coefficients` as they are now.
  virtual MetBy met_by() const = 0;

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override;
  void release_variables() override;
};

}  // namespace creg
