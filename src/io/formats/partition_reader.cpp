#include <algorithm>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/checksum.h"
#include "io/npy.h"
#include "io/partition_folder.h"

namespace creg {
namespace {

constexpr const char* made_anew =
    "the files of this folder do not go together: make the partition again";

class PartReader {
 public:
  PartReader(const Context& context, const Bytes& manifest, int rank) : context_(context) {
    stored_.manifest = read_partition_manifest(manifest);
    stored_.rank = rank;
    if (rank < 0 || rank >= parts()) {
      fail_input({.what = "there is no part of this number",
                  .file = manifest.name,
                  .found = "part " + std::to_string(rank),
                  .expected = "0 to " + std::to_string(parts() - 1)});
    }
  }

  StoredPart read(const Bytes& owners, const Bytes& part) {
    read_owners(owners);
    read_file(part);
    check_sizes(part.name);
    check_own(part.name);
    check_halo(part.name);
    check_sends(part.name);
    check_graph(part.name);
    return std::move(stored_);
  }

 private:
  int parts() const { return static_cast<int>(stored_.manifest.parts.size()); }
  const PartitionManifest::Part& entry(int part) const {
    return stored_.manifest.parts[static_cast<std::size_t>(part)];
  }
  const PartitionManifest::Part& entry() const { return entry(stored_.rank); }
  std::int32_t owner_of(std::int32_t node) const { return stored_.owners[node]; }

  [[noreturn]] static void fail(const std::string& file, std::string what, std::string place,
                                std::string found = {}, std::string expected = {}) {
    fail_input({.what = std::move(what),
                .file = file,
                .place = std::move(place),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = made_anew});
  }

  static void check_count(const std::string& file, const char* what, std::int64_t found,
                          std::int64_t expected) {
    if (found == expected) return;
    fail(file, "a part differs from what the manifest says of it", what, with_commas(found),
         with_commas(expected));
  }

  void read_owners(const Bytes& file) {
    check_count(file.name, "bytes", file.size(), stored_.manifest.owners_bytes);
    const std::uint32_t crc = crc32c_parallel(context_, file.data);
    if (crc != stored_.manifest.owners_crc32c) {
      fail(file.name, "the checksum is wrong", "", std::to_string(crc),
           std::to_string(stored_.manifest.owners_crc32c));
    }
    const NdArray array = read_npy(file);
    const std::string type = array.type().text();
    if (array.dimensions() != 1 || array.size() != stored_.manifest.nodes || type != "int32") {
      fail(file.name, "not an owner for each node", "", array.shape_text() + " of " + type,
           with_commas(stored_.manifest.nodes) + " of int32");
    }
    stored_.owners = array.to_int32();
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts()), 0);
    for (std::int64_t node = 0; node < stored_.owners.size(); ++node) {
      const std::int32_t owner = stored_.owners[node];
      if (owner < 0 || owner >= parts()) {
        fail(file.name, "a node belongs to no part", "node " + std::to_string(node),
             std::to_string(owner), "0 to " + std::to_string(parts() - 1));
      }
      ++sizes[static_cast<std::size_t>(owner)];
    }
    for (int part = 0; part < parts(); ++part) {
      if (sizes[static_cast<std::size_t>(part)] == entry(part).nodes) continue;
      fail(file.name, "a part has other nodes than the manifest says",
           "part " + std::to_string(part), with_commas(sizes[static_cast<std::size_t>(part)]),
           with_commas(entry(part).nodes));
    }
  }

  void read_file(const Bytes& file) {
    const CregIdentity found = creg_identity(file);
    if (found != entry().file) {
      const auto shown = [](const CregIdentity& identity) {
        return with_commas(identity.bytes) + " bytes, checksum " +
               std::to_string(identity.checksum);
      };
      fail(file.name, "not the file that the manifest names", "", shown(found),
           shown(entry().file));
    }
    stored_.part = read_creg_part(context_, file);
  }

  void check_sizes(const std::string& file) {
    GraphPart& part = stored_.part;
    const PartitionManifest& manifest = stored_.manifest;
    check_count(file, "nodes", part.graph.nodes(), entry().nodes + entry().halo);
    check_count(file, "numbers of nodes", part.nodes.size(), entry().nodes + entry().halo);
    check_count(file, "owners of the halo", part.halo_owners.size(), entry().halo);
    check_count(file, "adjacency entries", part.graph.adjacency.nonzeros(), entry().entries);
    check_count(file, "lists to send", part.send_offsets.size(), parts() + 1);
    const std::int64_t features =
        has_features(part.graph.features) ? feature_cols(part.graph.features) : -1;
    check_count(file, "feature columns", features, manifest.features);
    if (part.graph.classes() > manifest.classes) {
      check_count(file, "classes", part.graph.classes(), manifest.classes);
    }
    if (part.graph.directed != manifest.directed) {
      fail(file, "directed in one place and undirected in the other", "meta");
    }
    part.own = entry().nodes;
  }

  // Ascending, in range, owned by this part, and as many as it owns: these are all of them.
  void check_own(const std::string& file) const {
    std::int32_t before = -1;
    for (std::int64_t i = 0; i < stored_.part.own; ++i) {
      const std::int32_t node = stored_.part.nodes[i];
      if (node <= before || node >= stored_.manifest.nodes) {
        fail(file, "numbers of own nodes do not ascend, or are out of range",
             "part nodes, " + std::to_string(i), std::to_string(node),
             std::to_string(before + 1) + " to " + std::to_string(stored_.manifest.nodes - 1));
      }
      if (owner_of(node) != stored_.rank) {
        fail(file, "an own node belongs to another part", "part nodes, " + std::to_string(i),
             "node " + std::to_string(node) + " of part " + std::to_string(owner_of(node)),
             "part " + std::to_string(stored_.rank));
      }
      before = node;
    }
  }

  void check_halo(const std::string& file) const {
    const GraphPart& part = stored_.part;
    std::vector<std::int64_t> from(static_cast<std::size_t>(parts()), 0);
    std::pair<std::int32_t, std::int32_t> before{-1, -1};
    for (std::int64_t i = 0; i < part.halo(); ++i) {
      const std::int32_t node = part.nodes[part.own + i];
      const std::int32_t owner = part.halo_owners[i];
      const std::string place = "halo node " + std::to_string(i);
      if (node < 0 || node >= stored_.manifest.nodes) {
        fail(file, "the number of a halo node is out of range", place, std::to_string(node),
             "0 to " + std::to_string(stored_.manifest.nodes - 1));
      }
      if (owner != owner_of(node) || owner == stored_.rank) {
        fail(file, "a halo node belongs to another part", place, "part " + std::to_string(owner),
             "part " + std::to_string(owner_of(node)) + ", which is not this one");
      }
      if (std::pair(owner, node) <= before) {
        fail(file, "the halo is not in the order of owners and numbers", place,
             std::to_string(node));
      }
      before = {owner, node};
      ++from[static_cast<std::size_t>(owner)];
    }
    for (int other = 0; other < parts(); ++other) {
      const auto q = static_cast<std::size_t>(other);
      check_count(file, ("halo nodes of part " + std::to_string(other)).c_str(), from[q],
                  entry().halo_from[q]);
    }
  }

  void check_sends(const std::string& file) const {
    const GraphPart& part = stored_.part;
    std::int64_t expected = 0;
    for (int other = 0; other <= parts(); ++other) {
      // Each list is as long as the other part's halo has room for: offsets are known.
      if (part.send_offsets[other] != expected) {
        fail(file, "a list to send is not as long as its receiver expects",
             "part send offsets, " + std::to_string(other),
             std::to_string(part.send_offsets[other]), std::to_string(expected));
      }
      if (other == parts()) break;
      expected += entry(other).halo_from[static_cast<std::size_t>(stored_.rank)];
    }
    check_count(file, "nodes to send", part.send_nodes.size(), expected);
    for (int other = 0; other < parts(); ++other) {
      std::int32_t before = -1;
      for (std::int64_t i = part.send_offsets[other]; i < part.send_offsets[other + 1]; ++i) {
        const std::int32_t row = part.send_nodes[i];
        if (row <= before || row >= part.own) {
          fail(file, "rows to send do not ascend, or are out of range",
               "part send nodes, " + std::to_string(i), std::to_string(row),
               std::to_string(before + 1) + " to " + std::to_string(part.own - 1));
        }
        before = row;
      }
    }
  }

  // Nothing but what belongs to the own nodes: else the parts together would have it twice.
  void check_graph(const std::string& file) const {
    const GraphPart& part = stored_.part;
    const Graph& graph = part.graph;
    if (graph.directed) {
      for (std::int64_t e = 0; e < graph.adjacency.nonzeros(); ++e) {
        if (graph.adjacency.columns[e] < part.own) continue;
        fail(file, "an edge ends outside of the part", "adjacency entry " + std::to_string(e));
      }
    } else if (graph.adjacency.offsets[part.own] != graph.adjacency.nonzeros()) {
      fail(file, "a halo node has a row of its own", "adjacency");
    }
    if (graph.has_labels()) {
      for (std::int64_t i = part.own; i < graph.nodes(); ++i) {
        if (graph.labels[i] == unlabelled) continue;
        fail(file, "a halo node has a label", "halo node " + std::to_string(i - part.own));
      }
    }
    for (const Split& split : graph.splits) {
      for (const Array<std::int32_t>* nodes : {&split.train, &split.val, &split.test}) {
        for (const std::int32_t node : *nodes) {
          if (node < part.own) continue;
          fail(file, "a split has a halo node", "split " + in_quotes(split.name));
        }
      }
    }
  }

  const Context& context_;
  StoredPart stored_;
};

}  // namespace

StoredPart read_part(const Context& context, const Bytes& manifest, const Bytes& owners,
                     const Bytes& part, int rank) {
  return PartReader(context, manifest, rank).read(owners, part);
}

StoredPart read_part(const Context& context, const std::filesystem::path& folder, int rank) {
  PartReader reader(context, map_file(manifest_path(folder)), rank);
  return reader.read(map_file(owners_path(folder)), map_file(part_path(folder, rank)));
}

}  // namespace creg
