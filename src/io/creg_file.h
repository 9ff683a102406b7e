// `.creg`: a whole Graph in one binary file that is mapped, not parsed. docs/file-formats.md says
// what lies where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"
#include "graph/graph_parts.h"
#include "io/file.h"

namespace creg {

inline constexpr std::uint32_t creg_format_version = 1;

/// Where a graph came from.
struct CregProvenance {
  std::string source;                   ///< the dataset or file it was read from
  std::vector<std::string> transforms;  ///< names of what was done to it since
  std::string writer;                   ///< the program that wrote the file; set by write_creg

  bool operator==(const CregProvenance&) const = default;
};

/// Writes the graph, whole or not at all. A graph that does not pass `validate` is refused: it
/// could not be read back.
void write_creg(const Context& context, const std::filesystem::path& path, const Graph& graph,
                const CregProvenance& provenance);

/// The graph as views of the mapped bytes; nothing is copied. Checked before anything is used: the
/// checksum of the header and of every section, that sections fit each other, offsets, column
/// bounds, finite values. Any fault is an input error that names the section and its byte.
Graph read_creg(const Context& context, const Bytes& bytes, CregProvenance* provenance = nullptr);

/// What tells one file from another: its size, and the checksum in its header, which covers those
/// of all sections. Nothing is checked but that the header is there.
struct CregIdentity {
  std::int64_t bytes = 0;
  std::uint32_t checksum = 0;

  bool operator==(const CregIdentity&) const = default;
};
CregIdentity creg_identity(const Bytes& bytes);

/// The same for a part of a graph: a .creg file of the part's graph, with the part's arrays in
/// sections that readers of graphs skip. The arrays are read as they are: whether they fit each
/// other is for io/partition_folder.h to say.
CregIdentity write_creg_part(const Context& context, const std::filesystem::path& path,
                             const GraphPart& part, const CregProvenance& provenance);
GraphPart read_creg_part(const Context& context, const Bytes& bytes);

/// What the header and the section table say, checked; the sections themselves are not looked at.
struct CregSize {
  std::string name;
  GraphSize graph;  ///< as stored
};
CregSize read_creg_size(const Context& context, const Bytes& bytes);

/// Whether the bytes start as a .creg file does.
bool is_creg(const Bytes& bytes);

}  // namespace creg
