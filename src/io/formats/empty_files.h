// A file that was given for something and holds nothing of it: cut off, or not the one meant.
#pragma once

#include <cstdint>
#include <string>

#include "creg/core/error.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"

namespace creg {

/// An input error that names the file where `count` is 0, unless that is allowed.
inline void refuse_empty(const ReadOptions& reading, std::int64_t count, const std::string& what,
                         const std::string& file) {
  if (count > 0 || reading.allow_empty) return;
  fail_input({.what = "no " + what + " in this file",
              .file = file,
              .expected = "at least one",
              .hint = "is the file whole, and the one that is meant? --allow-empty (in TOML "
                      "allow_empty = true) takes it as it is"});
}

inline std::int64_t labelled_nodes(const Array<std::int32_t>& labels) {
  std::int64_t count = 0;
  for (const std::int32_t label : labels) count += label != unlabelled ? 1 : 0;
  return count;
}

}  // namespace creg
