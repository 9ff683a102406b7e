#include "io/text/integer_ids.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include "core/parallel.h"

namespace creg {
namespace {

constexpr std::int64_t id_grain = 1 << 18;
constexpr std::int64_t word_bits = 64;

using Ids = std::array<std::span<std::int32_t>, 2>;

// Calls body(part of an array) in parallel over both arrays.
template <class Body>
void over_parts(const Context& context, const Ids& ids, const Body& body) {
  for (const std::span<std::int32_t> array : ids) {
    parallel_for(context, 0, static_cast<std::int64_t>(array.size()), id_grain,
                 [&](std::int64_t first, std::int64_t last) {
                   body(array.subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(last - first)));
                 });
  }
}

std::int64_t largest_id(const Context& context, const Ids& ids) {
  std::atomic<std::int32_t> largest = -1;
  over_parts(context, ids, [&](std::span<std::int32_t> part) {
    const std::int32_t here = *std::max_element(part.begin(), part.end());
    std::int32_t seen = largest.load();
    while (here > seen && !largest.compare_exchange_weak(seen, here)) {
    }
  });
  return largest;
}

NodeNames decimal_names(std::span<const std::int32_t> sorted_ids) {
  std::vector<std::int64_t> offsets = {0};
  offsets.reserve(sorted_ids.size() + 1);
  std::vector<char> characters;
  std::array<char, 16> digits{};
  for (const std::int32_t id : sorted_ids) {
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), id).ptr;
    characters.insert(characters.end(), static_cast<const char*>(digits.data()), end);
    offsets.push_back(static_cast<std::int64_t>(characters.size()));
  }
  return {std::move(offsets), std::move(characters)};
}

// One bit per possible id, and the number of bits set before each word.
class PresenceMap {
 public:
  PresenceMap(const Context& context, const Ids& ids, std::int64_t size)
      : words_(static_cast<std::size_t>((size + word_bits - 1) / word_bits)),
        before_(words_.size()) {
    over_parts(context, ids, [&](std::span<std::int32_t> part) {
      for (const std::int32_t id : part) {
        const std::atomic_ref word(words_[static_cast<std::size_t>(id) / word_bits]);
        const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::uint32_t>(id) % word_bits);
        if ((word.load(std::memory_order_relaxed) & bit) == 0) {
          word.fetch_or(bit, std::memory_order_relaxed);
        }
      }
    });
    for (std::size_t w = 0; w < words_.size(); ++w) {
      before_[w] = static_cast<std::int32_t>(count_);
      count_ += std::popcount(words_[w]);
    }
  }

  std::int64_t count() const { return count_; }
  std::int32_t rank(std::int32_t id) const {
    const std::size_t w = static_cast<std::size_t>(id) / word_bits;
    const std::uint64_t below =
        (std::uint64_t{1} << (static_cast<std::uint32_t>(id) % word_bits)) - 1;
    return before_[w] + std::popcount(words_[w] & below);
  }
  std::vector<std::int32_t> ids() const {
    std::vector<std::int32_t> out;
    out.reserve(static_cast<std::size_t>(count_));
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        out.push_back(static_cast<std::int32_t>(w * word_bits +
                                                static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
    return out;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::int32_t> before_;
  std::int64_t count_ = 0;
};

}  // namespace

IntegerIds rank_integer_ids(const Context& context, std::span<std::int32_t> sources,
                            std::span<std::int32_t> targets) {
  const Ids ids = {sources, targets};
  const auto total = static_cast<std::int64_t>(sources.size() + targets.size());
  const std::int64_t span = largest_id(context, ids) + 1;

  // A map is far faster than sorting, but may take only as much memory as the ids warrant.
  constexpr std::int64_t bits_per_id = 128;
  constexpr std::int64_t free_bits = 1 << 20;
  if (span <= total * bits_per_id + free_bits) {
    const PresenceMap present(context, ids, span);
    if (present.count() == span) return {.nodes = span, .names = {}};
    over_parts(context, ids, [&](std::span<std::int32_t> part) {
      for (std::int32_t& id : part) id = present.rank(id);
    });
    return {.nodes = present.count(), .names = decimal_names(present.ids())};
  }

  std::vector<std::int32_t> distinct(sources.begin(), sources.end());
  distinct.insert(distinct.end(), targets.begin(), targets.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  over_parts(context, ids, [&](std::span<std::int32_t> part) {
    for (std::int32_t& id : part) {
      id = static_cast<std::int32_t>(std::lower_bound(distinct.begin(), distinct.end(), id) -
                                     distinct.begin());
    }
  });
  return {.nodes = static_cast<std::int64_t>(distinct.size()), .names = decimal_names(distinct)};
}

}  // namespace creg
