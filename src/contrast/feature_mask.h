// Views of the features with whole columns gone.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "creg/nn/inputs.h"
#include "graph/view_draw.h"

namespace creg {

/// float32 [columns] of 0 (gone, with this chance) and 1.
at::Tensor draw_column_mask(const Context& context, std::int64_t columns, double chance,
                            const ViewDraw& draw);
/// With a chance per column, float32.
at::Tensor draw_column_mask(const at::Tensor& chances, const ViewDraw& draw);

/// GCA's chances per column: adaptive_chances of log(sum over nodes i of c_i a_if), so that what
/// central nodes have stays. a_if is 1 where x_if is not 0, and |x_if| where the features are no
/// lists of words: some are negative, or more than half of them are not 0. Columns that are 0
/// everywhere get 0.7.
std::vector<float> adaptive_column_chances(const FeatureMatrix& features,
                                           std::span<const double> centrality, double chance);

}  // namespace creg
