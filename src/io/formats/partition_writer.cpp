#include <algorithm>
#include <charconv>
#include <utility>

#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "io/checksum.h"
#include "io/graph_checksum.h"
#include "io/npy.h"
#include "io/partition_folder.h"
#include "io/write_lock.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// "part-17.creg", with no zero before the number.
bool is_part_name(std::string_view name) {
  constexpr std::string_view start = "part-";
  constexpr std::string_view end = ".creg";
  if (!name.starts_with(start) || !name.ends_with(end)) return false;
  name.remove_prefix(start.size());
  name.remove_suffix(std::min(end.size(), name.size()));
  int number = -1;
  const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && last == name.data() + name.size() && number >= 0 &&
         number < most_parts && std::to_string(number) == name;
}

bool is_output_name(std::string_view name) {
  return name == "partition.json" || name == "owners.npy" || is_part_name(name);
}

/// Whose files are in the folder.
struct PartitionContents {
  bool partition = false;  ///< it has the manifest of one
  bool finished = false;
  std::string words;              ///< what the partition is
  std::vector<fs::path> outputs;  ///< all but the manifest; known as ours by that alone
  std::vector<fs::path> leftovers;
  std::vector<fs::path> others;
};

/// Says what is there; of a manifest that cannot be read that it cannot.
void read_present_manifest(const fs::path& folder, PartitionContents& contents) {
  const fs::path path = manifest_path(folder);
  if (fs::is_symlink(path) || !is_file(path)) return;
  const Bytes file = map_file(path);
  contents.partition = detail::is_manifest(file);
  contents.finished = contents.partition && file.text() != detail::unfinished_manifest_text();
  if (!contents.finished) return;
  try {
    const PartitionManifest manifest = read_partition_manifest(file);
    contents.words = counted(static_cast<std::int64_t>(manifest.parts.size()), "part") + " of " +
                     manifest.dataset + " by " + name_of(manifest.method) + ", seed " +
                     std::to_string(manifest.seed);
  } catch (const Error&) {
    contents.words = "a partition whose partition.json cannot be read";
  }
}

PartitionContents look_into_partition(const fs::path& folder) {
  PartitionContents contents;
  if (!is_there(folder)) return contents;
  if (!fs::is_directory(folder)) {
    fail_input({.what = "a file has this name",
                .file = folder.string(),
                .expected = "a folder, or nothing yet"});
  }
  read_present_manifest(folder, contents);
  std::vector<fs::path> entries = list_folder(folder);
  std::sort(entries.begin(), entries.end());
  for (const fs::path& path : entries) {
    const std::string name = path.filename().string();
    const bool plain = !fs::is_symlink(path) && is_file(path);
    if (name == folder_lock_name || (contents.partition && path == manifest_path(folder))) continue;
    if (plain && is_output_name(name_of_part(name))) {
      contents.leftovers.push_back(path);
    } else if (plain && contents.partition && is_output_name(name)) {
      contents.outputs.push_back(path);
    } else {
      contents.others.push_back(path);
    }
  }
  return contents;
}

void check_contents(const fs::path& folder, const PartitionContents& contents, IfThere if_there) {
  if (contents.finished && if_there == IfThere::refuse) {
    fail_input({.what = "the folder holds a partition already",
                .file = folder.string(),
                .found = contents.words,
                .expected = "a new or an empty folder",
                .hint = "--out DIR writes elsewhere, --overwrite first removes what is there"});
  }
  for (const fs::path& other : contents.others) {
    // Beside a partition a user may keep what does not stand in its way.
    if (contents.partition && !is_output_name(other.filename().string())) continue;
    fail_input({.what = "the folder holds something that is no partition",
                .file = folder.string(),
                .found = other.filename().string(),
                .expected = "an empty folder, a new one, or that of an earlier partition",
                .hint = "choose another one with --out"});
  }
}

/// The folder while it is written. What was written goes again unless `keep` was called.
class ClaimedPartition {
 public:
  ClaimedPartition(const Context& context, const fs::path& folder, IfThere if_there)
      : folder_(folder), lock_(context, made(folder, if_there), LockMode::alone) {
    // Once more: somebody may have come between.
    const PartitionContents contents = look_into_partition(folder);
    check_contents(folder, contents, if_there);
    // From now on nobody takes what is here for a whole partition.
    write_file(manifest_path(folder), detail::unfinished_manifest_text());
    begun_ = true;
    try {
      for (const fs::path& path : contents.leftovers) remove_file(path);
      for (const fs::path& path : contents.outputs) remove_file(path);
    } catch (...) {
      clear();
      throw;
    }
  }
  ClaimedPartition(const ClaimedPartition&) = delete;
  ClaimedPartition& operator=(const ClaimedPartition&) = delete;
  ~ClaimedPartition() { clear(); }

  void keep() { begun_ = false; }

 private:
  static const fs::path& made(const fs::path& folder, IfThere if_there) {
    check_partition_folder(folder, if_there);
    make_folder(folder);
    return folder;
  }

  void clear() noexcept {
    if (!begun_) return;
    begun_ = false;
    try {
      for (const fs::path& path : look_into_partition(folder_).outputs) remove_file(path);
      remove_file(manifest_path(folder_));
    } catch (const std::exception&) {
      // What made the work fail is worth more to its user, and the manifest says "unfinished".
      return;
    }
  }

  fs::path folder_;
  bool begun_ = false;
  WriteLock lock_;
};

PartitionManifest describe(const Context& context, const Graph& graph, const Partition& partition,
                           const CregProvenance& provenance) {
  PartitionManifest manifest;
  manifest.dataset = graph.name;
  manifest.provenance = provenance;
  manifest.provenance.writer = "contrast-reg " + build_info().version;
  manifest.nodes = graph.nodes();
  manifest.entries = graph.adjacency.nonzeros();
  manifest.directed = graph.directed;
  if (has_features(graph.features)) manifest.features = feature_cols(graph.features);
  manifest.classes = graph.classes();
  manifest.edges_checksum = matrix_checksum(context, graph.adjacency);
  manifest.features_checksum = feature_checksum(context, graph.features);
  manifest.method = partition.method;
  manifest.seed = context.seed();
  manifest.cut_entries = cut_entries(context, graph.adjacency, partition.owners);
  return manifest;
}

}  // namespace

void check_partition_folder(const fs::path& folder, IfThere if_there) {
  check_contents(folder, look_into_partition(folder), if_there);
}

PartitionManifest write_partition(const Context& context, const fs::path& folder,
                                  const Graph& graph, const Partition& partition,
                                  const CregProvenance& provenance, IfThere if_there) {
  check_partition_folder(folder, if_there);
  PartitionManifest manifest = describe(context, graph, partition, provenance);
  const GraphParts parts(context, graph, partition);

  ClaimedPartition claim(context, folder, if_there);
  write_npy(owners_path(folder), std::span(partition.owners));
  const Bytes owners = map_file(owners_path(folder));
  manifest.owners_bytes = owners.size();
  manifest.owners_crc32c = crc32c_parallel(context, owners.data);

  ProgressTask progress(context, "writing the parts", parts.parts(), "parts");
  for (int p = 0; p < parts.parts(); ++p) {
    const GraphPart part = parts.make(context, p);
    PartitionManifest::Part entry{
        .nodes = part.own, .entries = part.graph.adjacency.nonzeros(), .halo = part.halo()};
    for (int q = 0; q < parts.parts(); ++q) {
      entry.halo_from.push_back(static_cast<std::int64_t>(parts.halo_from(p, q).size()));
    }
    entry.file = write_creg_part(context, part_path(folder, p), part, provenance);
    manifest.parts.push_back(std::move(entry));
    progress.advance();
  }
  progress.finish();
  write_file(manifest_path(folder), detail::manifest_text(manifest));
  claim.keep();
  return manifest;
}

}  // namespace creg
