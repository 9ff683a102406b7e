#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/json_text.h"
#include "io/partition_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// How every manifest begins: by this a folder is known as a partition's.
constexpr std::string_view manifest_start = R"({"format":"creg-partition",)";
constexpr std::int64_t most_entries = std::int64_t{1} << 60;

// The values of an object by their keys, checked one by one.
class ManifestFields {
 public:
  ManifestFields(const json& object, const std::string& file, std::string place)
      : object_(object), file_(file), place_(std::move(place)) {
    if (!object.is_object()) fail("not a JSON object", "");
  }

  const json& value(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail("a key is missing", key, "nothing");
    return *found;
  }
  std::int64_t number(const char* key, std::int64_t most, std::int64_t least = 0) const {
    return number_of(value(key), key, most, least);
  }
  std::int64_t number_of(const json& found, const std::string& key, std::int64_t most,
                         std::int64_t least = 0) const {
    const bool fits = found.is_number_integer() &&
                      (!found.is_number_unsigned() ||
                       found.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
                      found.get<std::int64_t>() >= least && found.get<std::int64_t>() <= most;
    if (!fits) {
      fail("a number is out of range", key, shown(found),
           std::to_string(least) + " to " + std::to_string(most));
    }
    return found.get<std::int64_t>();
  }
  std::uint32_t checksum(const char* key) const {
    constexpr std::int64_t most = 0xffffffff;
    return static_cast<std::uint32_t>(number(key, most));
  }
  std::uint64_t seed(const char* key) const {
    const json& found = value(key);
    if (!found.is_number_unsigned()) {
      fail("a seed is no number", key, shown(found), "0 to 2^64 - 1");
    }
    return found.get<std::uint64_t>();
  }
  std::string text(const char* key) const {
    const json& found = value(key);
    if (!found.is_string()) fail("not a text", key, shown(found), "a string");
    return found.get<std::string>();
  }
  bool truth(const char* key) const {
    const json& found = value(key);
    if (!found.is_boolean()) fail("neither true nor false", key, shown(found), "true or false");
    return found.get<bool>();
  }
  const json& list(const char* key) const {
    const json& found = value(key);
    if (!found.is_array()) fail("not a list", key, shown(found), "a list");
    return found;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> texts;
    for (const json& item : list(key)) {
      if (!item.is_string()) fail("not a text", key, shown(item), "a string");
      texts.push_back(item.get<std::string>());
    }
    return texts;
  }

  [[noreturn]] void fail(std::string what, const std::string& key, std::string found = {},
                         std::string expected = {}) const {
    fail_input({.what = std::move(what),
                .file = file_,
                .place = key.empty()      ? place_
                         : place_.empty() ? "key " + in_quotes(key)
                                          : place_ + ", key " + in_quotes(key),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = "make the partition again: creg data partition"});
  }

 private:
  static std::string shown(const json& value) { return in_quotes(value.dump(-1, ' ', true)); }

  const json& object_;
  const std::string& file_;
  std::string place_;
};

PartitionManifest::Part read_entry(const json& object, const std::string& file, std::size_t index,
                                   const PartitionManifest& manifest, std::size_t parts) {
  const ManifestFields fields(object, file, "parts[" + std::to_string(index) + "]");
  PartitionManifest::Part part;
  part.nodes = fields.number("nodes", manifest.nodes, 1);
  part.entries = fields.number("entries", manifest.entries);
  part.halo = fields.number("halo", manifest.nodes - part.nodes);
  part.file.bytes = fields.number("bytes", most_entries);
  part.file.checksum = fields.checksum("checksum");
  for (const json& from : fields.list("halo_from")) {
    part.halo_from.push_back(fields.number_of(from, "halo_from", part.halo));
  }
  if (part.halo_from.size() != parts) {
    fields.fail("not a number for each part", "halo_from", std::to_string(part.halo_from.size()),
                std::to_string(parts));
  }
  // Each of them is at most `halo`, and there are few parts: the sum is no problem.
  if (std::accumulate(part.halo_from.begin(), part.halo_from.end(), std::int64_t{0}) != part.halo ||
      part.halo_from[index] != 0) {
    fields.fail("the halo is not the sum of what the other parts own of it", "halo_from", {},
                with_commas(part.halo) + " nodes, none of its own");
  }
  return part;
}

// What holds for all parts together.
void check_sums(const PartitionManifest& manifest, const ManifestFields& fields) {
  std::int64_t nodes = 0;
  std::int64_t entries = 0;
  for (const PartitionManifest::Part& part : manifest.parts) {
    nodes += part.nodes;
    entries += part.entries;
    for (std::size_t q = 0; q < manifest.parts.size(); ++q) {
      if (part.halo_from[q] > manifest.parts[q].nodes) {
        fields.fail("a halo has more nodes of a part than that has", "parts",
                    with_commas(part.halo_from[q]), with_commas(manifest.parts[q].nodes));
      }
    }
  }
  if (nodes != manifest.nodes || entries != manifest.entries) {
    fields.fail(
        "the parts are not the whole graph", "parts",
        with_commas(nodes) + " nodes, " + with_commas(entries) + " entries",
        with_commas(manifest.nodes) + " nodes, " + with_commas(manifest.entries) + " entries");
  }
}

}  // namespace

std::int64_t PartitionManifest::halo() const {
  std::int64_t sum = 0;
  for (const Part& part : parts) sum += part.halo;
  return sum;
}

std::int64_t PartitionManifest::most_nodes() const {
  std::int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.nodes);
  return most;
}

PartitionManifest read_partition_manifest(const Bytes& file) {
  const json object = parse_json(file.text());
  if (object.is_discarded()) {
    fail_input({.what = "not valid JSON",
                .file = file.name,
                .hint = "make the partition again: creg data partition"});
  }
  const ManifestFields fields(object, file.name, "");
  if (fields.text("format") != "creg-partition") {
    fields.fail("not the manifest of a partition", "format", in_quotes(fields.text("format")),
                "'creg-partition'");
  }
  const std::int64_t version = fields.number("version", max_nodes, 1);
  if (version > partition_format_version) {
    fields.fail("the partition has a newer format than this program knows", "version",
                std::to_string(version), std::to_string(partition_format_version) + " at most");
  }
  if (!fields.truth("finished")) {
    fields.fail("this partition was never finished", "finished", "false", "true");
  }
  PartitionManifest manifest;
  manifest.dataset = fields.text("dataset");
  manifest.provenance = {.source = fields.text("source"),
                         .transforms = fields.texts("transforms"),
                         .writer = fields.text("writer")};
  manifest.nodes = fields.number("nodes", max_nodes, 1);
  manifest.entries = fields.number("entries", most_entries / most_parts);
  manifest.directed = fields.truth("directed");
  manifest.features =
      fields.value("feature_columns").is_null() ? -1 : fields.number("feature_columns", max_nodes);
  manifest.classes = fields.value("classes").is_null() ? 0 : fields.number("classes", max_nodes);
  manifest.edges_checksum = fields.text("edges_checksum");
  manifest.features_checksum = fields.text("features_checksum");
  const std::string method = fields.text("method");
  const auto known = from_name<PartitionMethod>(method);
  if (!known || *known == PartitionMethod::automatic) {
    fields.fail("unknown method", "method", in_quotes(method), "metis, scotch or streaming");
  }
  manifest.method = *known;
  manifest.seed = fields.seed("seed");
  manifest.cut_entries = fields.number("cut_entries", manifest.entries);
  manifest.owners_bytes = fields.number("owners_bytes", most_entries);
  manifest.owners_crc32c = fields.checksum("owners_crc32c");
  const json& parts = fields.list("parts");
  if (parts.empty() || parts.size() > most_parts ||
      static_cast<std::int64_t>(parts.size()) > manifest.nodes) {
    fields.fail("the number of parts is out of range", "parts", std::to_string(parts.size()),
                "1 to " + std::to_string(std::min<std::int64_t>(most_parts, manifest.nodes)));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    manifest.parts.push_back(read_entry(parts[i], file.name, i, manifest, parts.size()));
  }
  check_sums(manifest, fields);
  return manifest;
}

fs::path manifest_path(const fs::path& folder) {
  return folder / "partition.json";
}

fs::path owners_path(const fs::path& folder) {
  return folder / "owners.npy";
}

fs::path part_path(const fs::path& folder, int part) {
  return folder / ("part-" + std::to_string(part) + ".creg");
}

namespace detail {
namespace {

/// What manifest_start is the beginning of, when it is written out.
ordered_json manifest_head() {
  return {{"format", "creg-partition"}, {"version", partition_format_version}};
}

}  // namespace

std::string manifest_text(const PartitionManifest& manifest) {
  ordered_json object = manifest_head();
  object["finished"] = true;
  object["dataset"] = as_utf8(manifest.dataset);
  object["source"] = as_utf8(manifest.provenance.source);
  object["transforms"] = manifest.provenance.transforms;
  object["writer"] = manifest.provenance.writer;
  object["nodes"] = manifest.nodes;
  object["entries"] = manifest.entries;
  object["directed"] = manifest.directed;
  object["feature_columns"] =
      manifest.features < 0 ? ordered_json() : ordered_json(manifest.features);
  object["classes"] = manifest.classes == 0 ? ordered_json() : ordered_json(manifest.classes);
  object["edges_checksum"] = manifest.edges_checksum;
  object["features_checksum"] = manifest.features_checksum;
  object["method"] = name_of(manifest.method);
  object["seed"] = manifest.seed;
  object["cut_entries"] = manifest.cut_entries;
  object["owners_bytes"] = manifest.owners_bytes;
  object["owners_crc32c"] = manifest.owners_crc32c;
  object["parts"] = ordered_json::array();
  for (const PartitionManifest::Part& part : manifest.parts) {
    object["parts"].push_back({{"nodes", part.nodes},
                               {"entries", part.entries},
                               {"halo", part.halo},
                               {"bytes", part.file.bytes},
                               {"checksum", part.file.checksum},
                               {"halo_from", part.halo_from}});
  }
  return object.dump() + "\n";
}

std::string unfinished_manifest_text() {
  ordered_json object = manifest_head();
  object["finished"] = false;
  return object.dump() + "\n";
}

bool is_manifest(const Bytes& bytes) {
  return bytes.text().starts_with(manifest_start);
}

}  // namespace detail

}  // namespace creg
