#include "creg/contrast/pairs.h"

#include <torch/types.h>

namespace creg {

at::Tensor PairScore::anchors(const at::Tensor& rows) const {
  return weight_.defined() ? at::mm(rows, weight_.t()) : rows;
}

}  // namespace creg
