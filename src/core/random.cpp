#include "creg/core/random.h"

#include <numeric>

#include "core/philox.h"
#include "core/random_words.h"
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
  return uniform_below(*this, bound);
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const NormalPair pair = normal_pair(*this);
  spare_normal_ = pair.second;
  has_spare_ = true;
  return pair.first;
}

std::vector<std::int32_t> random_permutation(std::int32_t n, RandomStream& stream) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span<std::int32_t>(order), stream);
  return order;
}

}  // namespace creg
