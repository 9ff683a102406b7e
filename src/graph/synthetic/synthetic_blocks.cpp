#include "graph/synthetic/synthetic_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::int64_t node_grain = 1 << 14;
constexpr std::int64_t smallest_class = 4;
// Sub-streams of Purpose::generator_nodes.
constexpr std::uint32_t draw_node = 0;
constexpr std::uint32_t draw_order = 1;
// Weights are integers, so that their sums are exact: this is weight 1.
constexpr double weight_unit = 1 << 16;

// Sizes in proportion to the shares that add up to `total`, by largest remainder.
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> sizes;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = static_cast<double>(total) * shares[i] / sum;
    sizes.push_back(static_cast<std::int64_t>(std::floor(exact)));
    given += sizes.back();
    remainders.emplace_back(static_cast<double>(sizes.back()) - exact, i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t k = 0; given < total; ++k, ++given) ++sizes[remainders[k].second];
  return sizes;
}

std::vector<std::int64_t> class_sizes(const GeneratorSpec& spec) {
  std::vector<std::int64_t> sizes = apportion(spec.nodes, spec.class_shares);
  for (std::int64_t& size : sizes) {
    while (size < smallest_class) {
      ++size;
      --*std::max_element(sizes.begin(), sizes.end());
    }
  }
  return sizes;
}

// Communities of a class fall off slowly in size: a few large ones, many small.
std::vector<std::int64_t> community_sizes(std::int64_t class_size, std::int64_t community_nodes) {
  const std::int64_t count =
      std::max<std::int64_t>(1, (class_size + community_nodes / 2) / community_nodes);
  std::vector<double> shares;
  for (std::int64_t k = 1; k <= count; ++k) shares.push_back(1 / std::sqrt(static_cast<double>(k)));
  return apportion(class_size, shares);
}

// Pareto from 1 to the cap, by inversion.
std::uint64_t draw_weight(const GeneratorSpec& spec, RandomStream& stream) {
  const double below_cap = 1 - std::pow(spec.degree_cap, -spec.degree_exponent);
  const double tail = 1 - stream.uniform_double() * below_cap;
  return static_cast<std::uint64_t>(
      std::llround(std::pow(tail, -1 / spec.degree_exponent) * weight_unit));
}

}  // namespace

WeightedRanks::WeightedRanks(const std::vector<std::uint64_t>& weights) {
  cumulative_.resize(weights.size() + 1, 0);
  std::inclusive_scan(weights.begin(), weights.end(), cumulative_.begin() + 1);
  const std::uint64_t mean = total() / std::max<std::size_t>(1, weights.size());
  slice_bits_ = std::max(1, static_cast<int>(std::bit_width(mean))) - 1;
  first_.resize(static_cast<std::size_t>(total() >> slice_bits_) + 1);
  std::size_t rank = 0;
  for (std::size_t slice = 0; slice < first_.size(); ++slice) {
    const std::uint64_t start = static_cast<std::uint64_t>(slice) << slice_bits_;
    while (rank + 1 < weights.size() && cumulative_[rank + 1] <= start) ++rank;
    first_[slice] = static_cast<std::int32_t>(rank);
  }
}

std::int64_t WeightedRanks::at(std::uint64_t position) const {
  auto rank = static_cast<std::size_t>(first_[static_cast<std::size_t>(position >> slice_bits_)]);
  while (cumulative_[rank + 1] <= position) ++rank;
  return static_cast<std::int64_t>(rank);
}

std::int64_t WeightedRanks::at_fraction(double fraction) const {
  const auto position = static_cast<std::uint64_t>(fraction * static_cast<double>(total()));
  return at(std::min(position, total() - 1));
}

std::int64_t WeightedRanks::inside(RankRange range, RandomStream& stream) const {
  return at(cumulative_[static_cast<std::size_t>(range.begin)] + stream.below(weight(range)));
}

std::int64_t WeightedRanks::outside(RankRange range, RandomStream& stream) const {
  const std::uint64_t skipped = weight(range);
  const std::uint64_t position = stream.below(total() - skipped);
  const bool before = position < cumulative_[static_cast<std::size_t>(range.begin)];
  return at(before ? position : position + skipped);
}

BlockModel make_blocks(const Context& context, const GeneratorSpec& spec) {
  std::vector<std::int32_t> community_of_rank;
  std::vector<std::int32_t> class_of_community;
  std::vector<RankRange> community_ranks;
  std::vector<RankRange> class_ranks;
  const auto n = static_cast<std::size_t>(spec.nodes);
  community_of_rank.reserve(n);
  std::int64_t rank = 0;
  for (const std::int64_t class_size : class_sizes(spec)) {
    const auto c = static_cast<std::int32_t>(class_ranks.size());
    class_ranks.push_back({rank, rank + class_size});
    for (const std::int64_t size : community_sizes(class_size, spec.community_nodes)) {
      const auto community = static_cast<std::int32_t>(community_ranks.size());
      community_of_rank.insert(community_of_rank.end(), static_cast<std::size_t>(size), community);
      community_ranks.push_back({rank, rank + size});
      class_of_community.push_back(c);
      rank += size;
    }
  }
  invariant(rank == spec.nodes, "the communities hold every node once");

  RandomStream order(spec.seed, Purpose::generator_nodes, draw_order);
  std::vector<std::int32_t> node_of_rank =
      random_permutation(static_cast<std::int32_t>(spec.nodes), order);

  std::vector<std::uint64_t> weights(n);
  std::vector<std::int32_t> labels(n);
  std::vector<std::int32_t> community_of_node(n);
  parallel_for(context, 0, spec.nodes, node_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
      RandomStream stream(spec.seed, Purpose::generator_nodes, draw_node, r);
      weights[r] = draw_weight(spec, stream);
      const auto node = static_cast<std::size_t>(node_of_rank[r]);
      const std::int32_t community = community_of_rank[r];
      community_of_node[node] = community;
      const std::int32_t own = class_of_community[static_cast<std::size_t>(community)];
      const bool noisy = stream.uniform_double() < spec.label_noise;
      // The first few of a class keep its label, so that no class dies out.
      const auto in_class =
          static_cast<std::int64_t>(r) - class_ranks[static_cast<std::size_t>(own)].begin;
      const std::int32_t other = community_of_rank[stream.below(n)];
      labels[node] = noisy && in_class >= smallest_class
                         ? class_of_community[static_cast<std::size_t>(other)]
                         : own;
    }
  });
  return {.node_of_rank = std::move(node_of_rank),
          .community_of_rank = std::move(community_of_rank),
          .community_of_node = std::move(community_of_node),
          .class_of_community = std::move(class_of_community),
          .community_ranks = std::move(community_ranks),
          .class_ranks = std::move(class_ranks),
          .labels = std::move(labels),
          .weights = WeightedRanks(weights)};
}

}  // namespace creg
