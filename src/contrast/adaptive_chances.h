// GCA's rule from importances to chances of being dropped, the same for edges and for features.
#pragma once

#include <span>
#include <vector>

namespace creg {

/// No adaptive chance exceeds this.
inline constexpr double largest_drop_chance = 0.7;

/// For scores s, the larger the more important: w = (max - s) / (max - mean), and the chance is
/// min(w / mean w * `chance`, 0.7), which is about `chance` on average. Where all scores are equal
/// every w is 1. A score of minus infinity is left out of max and mean and gets 0.7. All are 0 for
/// a `chance` of 0.
std::vector<float> adaptive_chances(std::span<const double> scores, double chance);

}  // namespace creg
