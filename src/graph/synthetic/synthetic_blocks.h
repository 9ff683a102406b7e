// The hidden structure of a synthetic graph: classes, communities inside them, weighted nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/random.h"
#include "graph/generators.h"

namespace creg {

/// Half-open range of ranks.
struct RankRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Draws ranks in proportion to integer weights, from all or from a range, in constant expected
/// time: a table of equal slices of the total weight says where to start looking.
class WeightedRanks {
 public:
  explicit WeightedRanks(const std::vector<std::uint64_t>& weights);

  std::uint64_t total() const { return cumulative_.back(); }
  std::uint64_t weight(RankRange range) const {
    return cumulative_[static_cast<std::size_t>(range.end)] -
           cumulative_[static_cast<std::size_t>(range.begin)];
  }
  /// The rank at this fraction of the total weight, from 0 up to 1.
  std::int64_t at_fraction(double fraction) const;
  /// A rank inside `range`, which has a positive weight.
  std::int64_t inside(RankRange range, RandomStream& stream) const;
  /// A rank outside `range`; something must be outside.
  std::int64_t outside(RankRange range, RandomStream& stream) const;

 private:
  std::int64_t at(std::uint64_t position) const;

  std::vector<std::uint64_t> cumulative_;  // one more than ranks, from 0
  std::vector<std::int32_t> first_;        // the rank at the start of each slice
  int slice_bits_ = 0;                     // a slice is 2^slice_bits_ of weight
};

/// Ranks run by class, then community, so that each is a range; `node_of_rank` hides that order.
struct BlockModel {
  std::vector<std::int32_t> node_of_rank;
  std::vector<std::int32_t> community_of_rank;
  std::vector<std::int32_t> community_of_node;
  std::vector<std::int32_t> class_of_community;
  std::vector<RankRange> community_ranks;
  std::vector<RankRange> class_ranks;
  std::vector<std::int32_t> labels;  // by node: the class, but for label noise
  WeightedRanks weights;
};

BlockModel make_blocks(const Context& context, const GeneratorSpec& spec);

}  // namespace creg
