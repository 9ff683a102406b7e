// A graph in parts as a folder: docs/file-formats.md says what is in it.
//
//   partition.json   what it is, and the sizes and checksums of all else; written last
//   owners.npy       int32, the part of each node of the whole graph
//   part-<k>.creg    part k: a graph that any command reads, and what is needed for the exchange
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/graph_parts.h"
#include "graph/partition.h"
#include "io/creg_file.h"
#include "io/file.h"

namespace creg {

inline constexpr int partition_format_version = 1;

/// What partition.json says.
struct PartitionManifest {
  struct Part {
    std::int64_t nodes = 0;    ///< of its own
    std::int64_t entries = 0;  ///< of its adjacency
    std::int64_t halo = 0;
    std::vector<std::int64_t> halo_from;  ///< nodes of the halo that each part owns
    CregIdentity file;

    bool operator==(const Part&) const = default;
  };

  // Of the whole graph.
  std::string dataset;
  CregProvenance provenance;
  std::int64_t nodes = 0;
  std::int64_t entries = 0;  ///< of the adjacency: an undirected edge has two
  bool directed = false;
  std::int64_t features = -1;  ///< columns; -1: none
  std::int64_t classes = 0;    ///< 0 without labels
  std::string edges_checksum;  ///< io/graph_checksum.h
  std::string features_checksum;

  PartitionMethod method = PartitionMethod::streaming;
  std::uint64_t seed = 0;
  std::int64_t cut_entries = 0;     ///< entries with ends in two parts
  std::int64_t owners_bytes = 0;    ///< size of owners.npy
  std::uint32_t owners_crc32c = 0;  ///< of the whole file
  std::vector<Part> parts;

  std::int64_t halo() const;        ///< of all parts
  std::int64_t most_nodes() const;  ///< of the own ones of a part
  bool operator==(const PartitionManifest&) const = default;
};

/// Every number in its range and the sums right, or an input error that names the key. A partition
/// that was never finished is one too.
PartitionManifest read_partition_manifest(const Bytes& file);

/// The paths in a folder.
std::filesystem::path manifest_path(const std::filesystem::path& folder);
std::filesystem::path owners_path(const std::filesystem::path& folder);
std::filesystem::path part_path(const std::filesystem::path& folder, int part);

/// One part as it was read, with what all parts share.
struct StoredPart {
  PartitionManifest manifest;
  int rank = 0;
  GraphPart part;
  Array<std::int32_t> owners;  ///< of every node of the whole graph
};

/// Part `rank`, as views of its mapped file; of the other parts nothing is read but what the
/// manifest and the owners say of them. Before anything is used it is checked: checksums, ranges,
/// that own nodes are those that the owners give to this part, that the halo's owners are theirs,
/// that both lists are in their order, and that every list to send is as long as the manifest says
/// that the other part expects it. Any fault is an input error that names the file.
StoredPart read_part(const Context& context, const std::filesystem::path& folder, int rank);

/// The same of bytes.
StoredPart read_part(const Context& context, const Bytes& manifest, const Bytes& owners,
                     const Bytes& part, int rank);

enum class IfThere {
  refuse,   ///< a finished partition in the folder is an input error that says what it is
  replace,  ///< it is removed first
};

/// An input error where the folder cannot be had: it holds a finished partition (unless it is to be
/// replaced), or something that is none. What a killed process left of a partition is no obstacle.
/// Writes nothing: for commands that have a graph to read first.
void check_partition_folder(const std::filesystem::path& folder, IfThere if_there);

/// Writes the parts into the folder, which is made if need be and locked meanwhile. The manifest
/// comes last; a failure leaves none of the files. Takes the memory of the largest part and of
/// GraphParts. Files that are no partition's are never touched.
PartitionManifest write_partition(const Context& context, const std::filesystem::path& folder,
                                  const Graph& graph, const Partition& partition,
                                  const CregProvenance& provenance,
                                  IfThere if_there = IfThere::refuse);

namespace detail {
/// partition.json of a finished one, and that of one under way.
std::string manifest_text(const PartitionManifest& manifest);
std::string unfinished_manifest_text();
/// Whether the bytes begin as these do.
bool is_manifest(const Bytes& bytes);
}  // namespace detail

}  // namespace creg
