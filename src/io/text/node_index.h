// Names of nodes to numbers, in order of first appearance, in parallel and whatever the threads do.
//
// Every block of text first numbers its own names (LocalNames). A batch of blocks is then joined
// into one index that is sharded by hash: each shard goes through the blocks in order, so it alone
// decides which block met a name first, and the new names of the blocks are counted up in block
// order. A shard's table fits a core's cache where one table for all would not.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// The longest name a node may have, in bytes.
inline constexpr std::size_t max_name_bytes = 65535;

/// The distinct names of one block. Views must stay valid until the block is joined.
class LocalNames {
 public:
  struct Name {
    const char* data = nullptr;
    const char* at = nullptr;  ///< where it first stands in the text
    std::uint64_t hash = 0;
    std::uint32_t size = 0;
    std::int32_t id = -1;  ///< set by NodeIndex: the node's number, -1 when unknown
    std::string_view text() const { return {data, size}; }
  };

  LocalNames();
  void clear();
  /// The local number of `name` (at most max_name_bytes long), and whether it is new here.
  struct Added {
    std::uint32_t local = 0;
    bool fresh = false;
  };
  Added add(std::string_view name, const char* at);

  std::span<Name> names() { return names_; }
  std::span<const Name> names() const { return names_; }
  /// After joining: whether this block was the first to hold names()[local].
  bool is_first(std::uint32_t local) const { return first_[local] != 0; }
  std::int32_t id(std::uint32_t local) const { return names_[local].id; }

 private:
  friend class NodeIndex;
  // A name and what its shard found, stored shard after shard so that a shard reads on and on.
  struct Packed {
    std::uint64_t hash = 0;
    std::uint32_t local = 0;
    std::uint32_t entry = 0;
    std::uint32_t begin = 0;  // in characters_
    std::uint16_t size = 0;
    bool first = false;
  };

  void grow();
  void pack();

  std::vector<std::uint64_t> slots_;  // tag of the hash, local number + 1; 0 when free
  std::vector<Name> names_;
  std::vector<std::uint8_t> first_;
  std::vector<Packed> packed_;
  std::vector<char> characters_;
  std::vector<std::uint32_t> shard_begin_;
};

class NodeIndex {
 public:
  NodeIndex();
  NodeIndex(NodeIndex&&) noexcept;
  NodeIndex& operator=(NodeIndex&&) noexcept;
  ~NodeIndex();

  std::int64_t size() const { return size_; }
  /// True while every name is a plain integer (digits, no leading zero).
  bool all_integers() const { return all_integers_; }

  /// Gives every name of the blocks its number; names not met before get the next numbers, in the
  /// order of the blocks. More than max_nodes names: an input error that names `file`.
  void add(const Context& context, std::span<LocalNames> blocks, const std::string& file);
  /// The same without adding: unknown names get -1.
  void find(const Context& context, std::span<LocalNames> blocks) const;
  /// One name: its number, or -1.
  std::int32_t find(std::string_view name) const;

  /// All names in the order of their numbers.
  NodeNames names(const Context& context) const;
  /// The number that each name has when the names, all plain integers, are sorted by value.
  std::vector<std::int32_t> numeric_ranks(const Context& context) const;

 private:
  struct Shard;

  std::vector<Shard> shards_;
  std::int64_t size_ = 0;
  bool all_integers_ = true;
};

/// An index of names in their order; smaller than `names` when some are the same. Names longer than
/// max_name_bytes are left out.
NodeIndex index_names(const Context& context, const NodeNames& names);

/// True when the names are "0", "1", … in order: such names need not be kept.
bool names_are_row_numbers(const NodeNames& names);

/// The name of node i becomes that of node ranks[i].
NodeNames reorder_names(const NodeNames& names, std::span<const std::int32_t> ranks);

/// The names of `all` that come nearest to `name`, as a hint for an error; looks at a bounded
/// number of them.
std::string nearest_name_hint(const NodeNames& all, std::string_view name);

}  // namespace creg
