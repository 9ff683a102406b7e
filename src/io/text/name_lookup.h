// Names of a graph to node numbers.
#pragma once

#include <cstdint>
#include <string_view>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/text/node_index.h"
#include "io/text/text_fields.h"

namespace creg {

class NameLookup {
 public:
  /// Without `names` they are 0 … nodes-1.
  NameLookup(const Context& context, const NodeNames& names, std::int64_t nodes)
      : named_(!names.empty()), nodes_(nodes) {
    if (!named_) return;
    index_ = index_names(context, names);
    unique_ = index_.size() == names.size();
  }
  bool unique() const { return unique_; }
  /// -1 when there is none.
  std::int32_t find(std::string_view name) const {
    if (named_) return index_.find(name);
    return static_cast<std::int32_t>(parse_plain_integer(name, nodes_ - 1).value_or(-1));
  }

 private:
  bool named_;
  std::int64_t nodes_;
  NodeIndex index_;
  bool unique_ = true;
};

}  // namespace creg
