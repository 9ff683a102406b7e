#include "creg/core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/philox.h"
#include "creg/core/error.h"

namespace creg {

RandomStream::RandomStream(const RandomKey& key, std::uint64_t word)
    : key_(philox_key(key)), counter_(philox_counter(key, static_cast<std::uint32_t>(word / 4))) {
  invariant((word >> 34) == 0, "a random stream has 2^34 words");
  if (word % 4 == 0) return;
  refill();
  used_ = word % 4;
}

void RandomStream::refill() {
  block_ = philox_block(counter_, key_);
  used_ = 0;
  ++counter_[0];
  // The next block would repeat the first: no caller draws 2^34 numbers from one stream.
  invariant(counter_[0] != 0, "a random stream is not exhausted");
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  invariant(bound > 0, "the bound of a random integer is positive");
  // Lemire's multiply-and-reject: the rejection zone is 2^k mod bound.
  if (bound <= std::numeric_limits<std::uint32_t>::max()) {
    const auto narrow = static_cast<std::uint32_t>(bound);
    std::uint64_t product = static_cast<std::uint64_t>((*this)()) * narrow;
    if (static_cast<std::uint32_t>(product) < narrow) {
      const std::uint32_t threshold = (0U - narrow) % narrow;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = static_cast<std::uint64_t>((*this)()) * narrow;
      }
    }
    return product >> 32;
  }
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits64()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0ULL - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(bits64()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform_double()));
  const double angle = 2.0 * std::numbers::pi * uniform_double();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::vector<std::int32_t> random_permutation(std::int32_t n, RandomStream& stream) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span<std::int32_t>(order), stream);
  return order;
}

}  // namespace creg
