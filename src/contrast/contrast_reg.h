// Contrast-Reg: every embedding must tell itself from that of a graph with shuffled features, by
// its product with one shared direction.
#pragma once

#include <ATen/core/Tensor.h>

#include "creg/contrast/epoch_pass.h"
#include "creg/contrast/options.h"
#include "creg/nn/parameter_list.h"

namespace creg {

class ContrastReg {
 public:
  /// Adds the matrix W to `parameters` as "regulariser.weight".
  ContrastReg(const RegulariserOptions& options, LogForm log, std::int64_t dim,
              ParameterList& parameters);

  /// mean_i -log sigma(h_i·W r) + mean_i -log(1 - sigma(h~_i·W r)), without the ratio.
  at::Tensor loss(EpochPass& pass) const;

 private:
  at::Tensor direction(EpochPass& pass) const;

  RegulariserOptions options_;
  LogForm log_;
  at::Tensor weight_;  // [dim, dim]
};

}  // namespace creg
