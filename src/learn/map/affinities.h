// How near rows are to each other, as the chances that t-SNE keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "learn/nearest_rows.h"

namespace creg::learn {

/// A symmetric sparse matrix whose entries sum to 1.
struct Affinities {
  std::vector<std::int64_t> offsets;  ///< rows + 1
  std::vector<std::int32_t> columns;  ///< ascending in a row
  std::vector<float> values;
};

/// Each row's chances of its neighbours fall with the distance as a normal density whose width
/// gives them the perplexity; then both directions are averaged.
Affinities affinities(const Context& context, const NearestRows& near, double perplexity);

}  // namespace creg::learn
