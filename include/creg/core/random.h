// Counter-based random streams: every draw is a pure function of (seed, purpose, epoch, item, i),
// so results never depend on threads or on the order of calls.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace creg {

/// What a stream is for. Values are part of every reproducible result: append, never renumber.
enum class Purpose : std::uint16_t {
  test = 0,
  node_split = 1,
  edge_split = 2,
  edge_negatives = 3,
  generator_nodes = 16,
  generator_edges = 17,
  generator_features = 18,
  generator_topics = 19,
  generator_thinning = 20,
  initialisation = 40,
  negatives = 41,
  corruption = 42,
  direction = 43,
  activation_noise = 44,
  random_pairs = 45,
  neighbour_sampling = 46,
  batch_order = 47,
  bootstrap = 48,
  calibration_pairs = 49,
  edge_drop = 50,
  feature_mask = 51,
  node_mask = 52,
  walks = 53,
  walk_negatives = 54,
  dropout = 55,
  method_draw = 56,
  positive_neighbour = 32,
  probe_weights = 64,
  kmeans = 65,
  link_non_edges = 66,
  link_weights = 67,
  subspace_start = 68,
  partition = 72,
  bench_values = 96,
  structure_start = 97,
};

/// The name of a stream.
struct RandomKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::test;
  std::uint32_t epoch = 0;
  std::uint64_t item = 0;  ///< below 2^48
};

/// One Philox4x32-10 stream. Cheap to make: give every item its own.
class RandomStream {
 public:
  using result_type = std::uint32_t;

  /// From word number `word` on; a stream has 2^34 words.
  explicit RandomStream(const RandomKey& key, std::uint64_t word = 0);
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t epoch = 0, std::uint64_t item = 0)
      : RandomStream(RandomKey{seed, purpose, epoch, item}) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  std::uint32_t operator()() {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint64_t high = (*this)();
    return (high << 32) | (*this)();
  }

  /// Uniform in [0, 1) with 24 bits: exact in float.
  float uniform() { return static_cast<float>((*this)() >> 8) * 0x1p-24F; }
  /// Uniform in [0, 1) with 53 bits.
  double uniform_double() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }
  /// Uniform in 0..bound-1 without bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller, both values of a pair used).
  double normal();

 private:
  void refill();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// Fisher-Yates, in place.
template <class T>
void shuffle(std::span<T> values, RandomStream& stream) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[stream.below(i)]);
  }
}

/// A uniformly random order of 0..n-1.
std::vector<std::int32_t> random_permutation(std::int32_t n, RandomStream& stream);

}  // namespace creg
