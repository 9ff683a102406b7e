// Models of pairs of rows, as the fit of a link predictor needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "kernels/rows.h"

namespace creg::learn {

/// Pairs of rows, in two lists of one size.
struct PairList {
  std::span<const std::int32_t> from;
  std::span<const std::int32_t> to;

  std::int64_t size() const { return static_cast<std::int64_t>(from.size()); }
};

class PairModel {
 public:
  explicit PairModel(DenseMatrix rows) : rows_(std::move(rows)) {}
  PairModel(const PairModel&) = delete;
  PairModel& operator=(const PairModel&) = delete;
  virtual ~PairModel() = default;

  /// The weights; `fan_in[i]` inputs feed the unit that weight i belongs to.
  AlignedVector& weights() { return weights_; }
  virtual std::int64_t fan_in(std::int64_t weight) const = 0;

  /// To be called when the weights have changed.
  virtual void weights_changed() = 0;
  virtual void scores(const Context& context, const PairList& pairs,
                      std::span<float> out) const = 0;
  /// The mean logistic loss over the pairs, of which the first `positives` are edges, and its
  /// gradient.
  virtual double loss(const Context& context, const PairList& pairs, std::int64_t positives,
                      AlignedVector& gradient) const = 0;

 protected:
  DenseMatrix rows_;
  AlignedVector weights_;
};

std::shared_ptr<PairModel> make_linear_model(const DenseMatrix& rows);

/// out[i, :] = rows[from[i]] * rows[to[i]], elementwise, for i in [begin, end).
void pair_products(const float* rows, std::int64_t width, const std::int32_t* from,
                   const std::int32_t* to, float* out, std::int64_t begin, std::int64_t end);

}  // namespace creg::learn
