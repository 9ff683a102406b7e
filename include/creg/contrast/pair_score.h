// The score of a pair: u·v, or u·C v with a trained matrix.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/contrast/options.h"
#include "creg/nn/parameter_list.h"

namespace creg {

class PairScore {
 public:
  /// A bilinear score adds its matrix to `parameters` as "score.weight".
  PairScore(Score score, std::int64_t dim, ParameterList& parameters) {
    if (score == Score::bilinear) {
      weight_ = parameters.uniform("score.weight", {dim, dim}, linear_bound(dim));
    }
  }

  /// Rows v_i as C v_i, whose plain products with u are the scores.
  at::Tensor anchors(const at::Tensor& rows) const;

 private:
  at::Tensor weight_;
};

}  // namespace creg
