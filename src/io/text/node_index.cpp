#include "io/text/node_index.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

constexpr int shard_bits = 8;
constexpr std::size_t shard_count = std::size_t{1} << shard_bits;
constexpr std::size_t first_slots = 64;
constexpr std::int64_t name_grain = 1 << 14;

// Primes whose bits look random.
constexpr std::uint64_t prime_a = 0x9e3779b97f4a7c55ULL;
constexpr std::uint64_t prime_b = 0xc2b2ae3d27d4eb4fULL;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load(const char* from) {
  Word word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

std::uint64_t hash_name(std::string_view name) {
  const char* data = name.data();
  std::size_t size = name.size();
  std::uint64_t state = mix(size ^ prime_a, prime_b);
  while (size > 16) {
    state = mix(load<std::uint64_t>(data) ^ state, load<std::uint64_t>(data + 8) ^ prime_a);
    data += 16;
    size -= 16;
  }
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (size >= 8) {
    low = load<std::uint64_t>(data);
    high = load<std::uint64_t>(data + size - 8);
  } else if (size >= 4) {
    low = load<std::uint32_t>(data);
    high = load<std::uint32_t>(data + size - 4);
  } else if (size > 0) {
    low = load<std::uint8_t>(data) | load<std::uint8_t>(data + size / 2) << 8 |
          load<std::uint8_t>(data + size - 1) << 16;
  }
  return mix(mix(low ^ prime_a, high ^ state), prime_b);
}

// Parts of a hash: its top chooses the shard, its middle is kept in a slot, its bottom is the place
// in a table.
std::size_t shard_of(std::uint64_t hash) {
  return static_cast<std::size_t>(hash >> (64 - shard_bits));
}
std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> (32 - shard_bits));
}

// memcmp(…) == 0 without the call, which costs more than comparing a short name.
bool same_bytes(const char* a, const char* b, std::size_t size) {
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      if (load<std::uint64_t>(a + i) != load<std::uint64_t>(b + i)) return false;
    }
    return load<std::uint64_t>(a + size - 8) == load<std::uint64_t>(b + size - 8);
  }
  if (size >= 4) {
    return load<std::uint32_t>(a) == load<std::uint32_t>(b) &&
           load<std::uint32_t>(a + size - 4) == load<std::uint32_t>(b + size - 4);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
}

std::size_t grown(std::size_t slots) {
  return slots == 0 ? first_slots : slots * 2;
}

}  // namespace

LocalNames::LocalNames() : slots_(first_slots) {}

void LocalNames::clear() {
  std::fill(slots_.begin(), slots_.end(), 0);
  names_.clear();
  first_.clear();
}

LocalNames::Added LocalNames::add(std::string_view name, const char* at) {
  const std::uint64_t hash = hash_name(name);
  const std::uint64_t tag = std::uint64_t{tag_of(hash)} << 32;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint64_t found = slots_[slot];
    if (found == 0) {
      const auto local = static_cast<std::uint32_t>(names_.size());
      slots_[slot] = tag | (local + 1);
      names_.push_back({.data = name.data(),
                        .at = at,
                        .hash = hash,
                        .size = static_cast<std::uint32_t>(name.size())});
      if (names_.size() * 2 > slots_.size()) grow();
      return {.local = local, .fresh = true};
    }
    if ((found & 0xffffffff00000000ULL) == tag) {
      const auto local = static_cast<std::uint32_t>(found) - 1;
      if (same_text(names_[local].text(), name)) return {.local = local, .fresh = false};
    }
  }
}

void LocalNames::grow() {
  std::vector<std::uint64_t> larger(grown(slots_.size()));
  const std::size_t mask = larger.size() - 1;
  for (std::size_t local = 0; local < names_.size(); ++local) {
    std::size_t slot = names_[local].hash & mask;
    while (larger[slot] != 0) slot = (slot + 1) & mask;
    larger[slot] = std::uint64_t{tag_of(names_[local].hash)} << 32 | (local + 1);
  }
  slots_ = std::move(larger);
}

void LocalNames::pack() {
  shard_begin_.assign(shard_count + 1, 0);
  std::vector<std::uint32_t> text_begin(shard_count + 1, 0);
  for (const Name& name : names_) {
    ++shard_begin_[shard_of(name.hash) + 1];
    text_begin[shard_of(name.hash) + 1] += name.size;
  }
  std::inclusive_scan(shard_begin_.begin(), shard_begin_.end(), shard_begin_.begin());
  std::inclusive_scan(text_begin.begin(), text_begin.end(), text_begin.begin());
  std::vector<std::uint32_t> next(shard_begin_.begin(), shard_begin_.end() - 1);
  packed_.resize(names_.size());
  characters_.resize(text_begin.back());
  for (std::size_t local = 0; local < names_.size(); ++local) {
    const Name& name = names_[local];
    const std::size_t shard = shard_of(name.hash);
    packed_[next[shard]++] = {.hash = name.hash,
                              .local = static_cast<std::uint32_t>(local),
                              .begin = text_begin[shard],
                              .size = static_cast<std::uint16_t>(name.size)};
    std::copy_n(name.data, name.size, characters_.data() + text_begin[shard]);
    text_begin[shard] += name.size;
  }
}

// Names of one hash range with their numbers, stored together to stay in the cache.
struct NodeIndex::Shard {
  struct Entry {
    std::uint64_t begin = 0;  // in characters; it ends where the next begins
    std::uint32_t hash = 0;   // its bottom
    std::int32_t id = -1;
  };
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = 0;  // + 1; 0 when free
  };
  std::vector<Slot> slots;
  std::vector<Entry> entries;
  std::vector<char> characters;

  std::string_view text(std::size_t entry) const {
    const std::uint64_t begin = entries[entry].begin;
    const std::uint64_t end =
        entry + 1 < entries.size() ? entries[entry + 1].begin : characters.size();
    return {characters.data() + begin, end - begin};
  }

  // The slot that holds the name, or the free one where it belongs. There must be slots.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const {
    const std::size_t mask = slots.size() - 1;
    const std::uint32_t tag = tag_of(hash);
    std::size_t slot = static_cast<std::uint32_t>(hash) & mask;
    while (slots[slot].entry != 0 &&
           (slots[slot].tag != tag || !same_text(text(slots[slot].entry - 1), name))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void make_room() {
    if (!slots.empty() && (entries.size() + 1) * 3 <= slots.size() * 2) return;
    std::vector<Slot> larger(grown(slots.size()));
    const std::size_t mask = larger.size() - 1;
    for (const Slot& old : slots) {
      if (old.entry == 0) continue;
      std::size_t slot = entries[old.entry - 1].hash & mask;
      while (larger[slot].entry != 0) slot = (slot + 1) & mask;
      larger[slot] = old;
    }
    slots = std::move(larger);
  }

  void insert_at(std::size_t slot, std::string_view name, std::uint64_t hash) {
    entries.push_back({.begin = characters.size(), .hash = static_cast<std::uint32_t>(hash)});
    characters.insert(characters.end(), name.begin(), name.end());
    slots[slot] = {.tag = tag_of(hash), .entry = static_cast<std::uint32_t>(entries.size())};
  }
};

NodeIndex::NodeIndex() : shards_(shard_count) {}
NodeIndex::NodeIndex(NodeIndex&&) noexcept = default;
NodeIndex& NodeIndex::operator=(NodeIndex&&) noexcept = default;
NodeIndex::~NodeIndex() = default;

void NodeIndex::add(const Context& context, std::span<LocalNames> blocks, const std::string& file) {
  const auto count = static_cast<std::int64_t>(blocks.size());
  const auto over_blocks = [&](const auto& work) {
    parallel_tasks(context, count, [&](std::int64_t b) { work(static_cast<std::size_t>(b)); });
  };
  over_blocks([&](std::size_t b) { blocks[b].pack(); });

  // Each shard: the entry of every name, made where there is none.
  parallel_tasks(context, static_cast<std::int64_t>(shard_count), [&](std::int64_t piece) {
    const auto s = static_cast<std::size_t>(piece);
    Shard& shard = shards_[s];
    for (LocalNames& block : blocks) {
      for (std::uint32_t i = block.shard_begin_[s]; i < block.shard_begin_[s + 1]; ++i) {
        LocalNames::Packed& packed = block.packed_[i];
        const std::string_view name(block.characters_.data() + packed.begin, packed.size);
        shard.make_room();
        const std::size_t slot = shard.slot_of(name, packed.hash);
        packed.first = shard.slots[slot].entry == 0;
        if (packed.first) shard.insert_at(slot, name, packed.hash);
        packed.entry = shard.slots[slot].entry - 1;
      }
    }
  });

  // New names are counted up in the order of the blocks, within a block in order of appearance …
  std::vector<std::int64_t> base(blocks.size() + 1, 0);
  over_blocks([&](std::size_t b) {
    LocalNames& block = blocks[b];
    block.first_.resize(block.names_.size());
    for (const LocalNames::Packed& packed : block.packed_) {
      block.first_[packed.local] = packed.first ? 1 : 0;
      base[b + 1] += packed.first ? 1 : 0;
    }
  });
  base[0] = size_;
  std::inclusive_scan(base.begin(), base.end(), base.begin());
  if (base.back() > max_nodes) {
    fail_input({.what = "too many nodes",
                .file = file,
                .found = "at least " + with_commas(base.back()),
                .expected = "at most " + with_commas(max_nodes)});
  }
  std::atomic<bool> integers = all_integers_;
  over_blocks([&](std::size_t b) {
    LocalNames& block = blocks[b];
    auto next = static_cast<std::int32_t>(base[b]);
    for (std::size_t local = 0; local < block.names_.size(); ++local) {
      if (block.first_[local] == 0) continue;
      block.names_[local].id = next++;
      if (!is_plain_integer(block.names_[local].text())) {
        integers.store(false, std::memory_order_relaxed);
      }
    }
    for (const LocalNames::Packed& packed : block.packed_) {
      if (!packed.first) continue;
      shards_[shard_of(packed.hash)].entries[packed.entry].id = block.names_[packed.local].id;
    }
  });
  // … and only then can every block learn the numbers of the names it was not the first to hold.
  over_blocks([&](std::size_t b) {
    for (const LocalNames::Packed& packed : blocks[b].packed_) {
      blocks[b].names_[packed.local].id = shards_[shard_of(packed.hash)].entries[packed.entry].id;
    }
  });
  size_ = base.back();
  all_integers_ = integers;
}

void NodeIndex::find(const Context& context, std::span<LocalNames> blocks) const {
  parallel_tasks(context, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    LocalNames& block = blocks[static_cast<std::size_t>(b)];
    block.pack();
    block.first_.assign(block.names_.size(), 0);
  });
  parallel_tasks(context, static_cast<std::int64_t>(shard_count), [&](std::int64_t piece) {
    const auto s = static_cast<std::size_t>(piece);
    const Shard& shard = shards_[s];
    for (LocalNames& block : blocks) {
      for (std::uint32_t i = block.shard_begin_[s]; i < block.shard_begin_[s + 1]; ++i) {
        LocalNames::Packed& packed = block.packed_[i];
        const std::string_view name(block.characters_.data() + packed.begin, packed.size);
        packed.entry =
            shard.slots.empty() ? 0 : shard.slots[shard.slot_of(name, packed.hash)].entry;
      }
    }
  });
  parallel_tasks(context, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    LocalNames& block = blocks[static_cast<std::size_t>(b)];
    for (const LocalNames::Packed& packed : block.packed_) {
      const Shard& shard = shards_[shard_of(packed.hash)];
      block.names_[packed.local].id = packed.entry == 0 ? -1 : shard.entries[packed.entry - 1].id;
    }
  });
}

std::int32_t NodeIndex::find(std::string_view name) const {
  const std::uint64_t hash = hash_name(name);
  const Shard& shard = shards_[shard_of(hash)];
  if (shard.slots.empty()) return -1;
  const std::uint32_t entry = shard.slots[shard.slot_of(name, hash)].entry;
  return entry == 0 ? -1 : shard.entries[entry - 1].id;
}

NodeNames NodeIndex::names(const Context& context) const {
  Buffer<std::int64_t> offsets(size_ + 1);
  offsets[0] = 0;
  const auto each_name = [&](const auto& visit) {
    parallel_tasks(context, static_cast<std::int64_t>(shard_count), [&](std::int64_t s) {
      const Shard& shard = shards_[static_cast<std::size_t>(s)];
      for (std::size_t e = 0; e < shard.entries.size(); ++e) {
        visit(shard.entries[e].id, shard.text(e));
      }
    });
  };
  each_name([&](std::int32_t id, std::string_view name) {
    offsets[id + 1] = static_cast<std::int64_t>(name.size());
  });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  Buffer<char> characters(offsets[size_]);
  each_name([&](std::int32_t id, std::string_view name) {
    std::copy(name.begin(), name.end(), characters.data() + offsets[id]);
  });
  return {std::move(offsets), std::move(characters)};
}

std::vector<std::int32_t> NodeIndex::numeric_ranks(const Context& context) const {
  const NodeNames all = names(context);
  std::vector<std::int32_t> order(static_cast<std::size_t>(size_));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return plain_integer_less(all[a], all[b]); });
  std::vector<std::int32_t> ranks(order.size());
  parallel_for(context, 0, size_, name_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      ranks[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
          static_cast<std::int32_t>(i);
    }
  });
  return ranks;
}

}  // namespace creg
