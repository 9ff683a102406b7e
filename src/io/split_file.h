// Splits of the nodes as JSON, by name, so that they outlive the order of a file:
//
//   {"protocol": "random-10-10-80", "seed": 0,
//    "train": ["alice", "bob"], "val": ["carol"], "test": ["dave"]}
//
// `train`, `val` and `test` are required (a part may be empty); `protocol` and `seed` are not. A
// name may also be written as a whole number. Any other key is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

struct SplitFile {
  std::string protocol;  ///< empty when the file does not say
  std::optional<std::uint64_t> seed;
  Split split;  ///< its name is the protocol
};

/// Names are looked up among those of `graph`; unknown ones are errors or dropped, a node listed
/// twice is an error.
SplitFile read_split_file(const Context& context, const Bytes& bytes, const Graph& graph,
                          UnknownIds unknown_ids = UnknownIds::error);

/// The file appears under its name only when whole.
void write_split_file(const std::filesystem::path& path, const Graph& graph, const SplitFile& file);

}  // namespace creg
