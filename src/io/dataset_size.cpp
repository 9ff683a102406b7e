#include "io/dataset_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/generators.h"
#include "io/catalogue.h"
#include "io/catalogue/adopt.h"
#include "io/data_folder.h"
#include "io/formats/detect.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t number_bytes = 4;

/// Where the catalogue does not know how many cells of sparse features are filled. Counted: 35 % of
/// computers and photo, with some 750 columns; 13 % of wiki and 1.3 % of cora, with more. The
/// fullest of each kind stands for all, so bags of many words are estimated too high.
std::int64_t percent_filled(std::int64_t columns) {
  constexpr std::int64_t many = 1000;
  constexpr std::int64_t of_few = 35;
  constexpr std::int64_t of_many = 14;
  return columns < many ? of_few : of_many;
}

DatasetSize of_generator(const std::string& name) {
  const GeneratorSpec spec = parse_synthetic(name);
  GraphSize size = undirected_size(spec.nodes, spec.edges, spec.feature_count);
  size.classes = static_cast<std::int64_t>(spec.class_shares.size());
  size.sparse_features = spec.features != SyntheticFeatures::dense;
  size.feature_entries =
      size.sparse_features ? static_cast<std::int64_t>(spec.words * static_cast<double>(spec.nodes))
                           : spec.nodes * spec.feature_count;
  DatasetSize out{.dataset = {.source = name, .format = "synthetic", .protocol = "public"},
                  .graph = with_bytes(size),
                  .edges = spec.edges};
  // Ones are not stored as numbers.
  if (spec.features == SyntheticFeatures::bag_of_words) {
    out.graph.feature_bytes -= number_bytes * size.feature_entries;
  }
  out.dataset.raw.name = name;
  return out;
}

/// The catalogue's figures; nothing where it has none.
std::optional<DatasetSize> of_entry(const CatalogueEntry& entry, const fs::path& source) {
  const DatasetFigures& figures = entry.figures;
  if (figures.nodes < 0 || figures.edges < 0 || figures.features < 0) return std::nullopt;
  GraphSize size = undirected_size(figures.nodes, figures.edges, figures.features);
  size.directed = std::find(entry.transforms.begin(), entry.transforms.end(), "symmetrise") ==
                  entry.transforms.end();
  if (size.directed && figures.arcs >= 0) size.entries = figures.arcs;
  size.classes = std::max<std::int64_t>(figures.classes, 0);
  size.sparse_features =
      entry.format != "ogb" && entry.format != "reddit" && entry.format != "wikics";
  const std::int64_t cells = size.nodes * size.features;
  size.feature_entries = size.sparse_features ? cells * percent_filled(size.features) / 100 : cells;
  if (figures.feature_entries >= 0) size.feature_entries = figures.feature_entries;
  DatasetSize out{.dataset = {.source = source.string(), .format = std::string(entry.format)},
                  .graph = with_bytes(size),
                  .edges = size.directed && figures.arcs >= 0 ? figures.arcs : figures.edges};
  if (figures.ones) out.graph.feature_bytes -= number_bytes * size.feature_entries;
  adopt(out.dataset, entry);
  return out;
}

/// Headers may say anything: what no graph can have would not even fit into the numbers below.
void check_possible(const GraphSize& size, const fs::path& source) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  const bool possible =
      size.nodes <= max_nodes && size.entries <= most && size.features <= max_nodes &&
      size.feature_entries <= most &&
      (size.sparse_features || size.features == 0 || size.nodes <= most / size.features);
  if (possible) return;
  fail_input({.what = "no graph is as large as this file says",
              .file = source.string(),
              .found = fmt::format("{} nodes, {} edges, {} features", with_commas(size.nodes),
                                   with_commas(size.entries), with_commas(size.features)),
              .hint = "the file is damaged: get it again"});
}

DatasetSize of_stored(StoredSize stored, const fs::path& source, std::string_view format) {
  GraphSize& graph = stored.graph;
  check_possible(graph, source);
  if (!graph.sparse_features) graph.feature_entries = graph.nodes * graph.features;
  DatasetSize out{.dataset = {.source = source.string(),
                              .format = std::string(format),
                              .transforms = std::move(stored.transforms),
                              .protocol = stored.splits ? "public" : ""},
                  .graph = with_bytes(stored.graph),
                  .edges = stored.edges,
                  .estimated = !stored.exact};
  out.dataset.raw.name = std::move(stored.name);
  return out;
}

}  // namespace

DatasetSize user_dataset_size(const UserDatasetSpec& spec) {
  return of_stored(measure_user_dataset(spec), spec.edges, "user");
}

DatasetSize dataset_size(const Context& context, const std::string& name,
                         const fs::path& data_dir) {
  const std::string wanted = name.empty() ? std::string(default_dataset) : name;
  if (wanted.starts_with("synthetic:")) return of_generator(wanted);
  const CatalogueEntry* entry = find_dataset(wanted);
  if (entry == nullptr && !looks_like_a_path(wanted)) dataset_by_name(wanted);  // throws
  const DetectedPath found =
      detect_path(entry == nullptr ? fs::path(wanted) : require_dataset(*entry, data_dir));
  if (entry == nullptr) entry = identify(context, wanted);
  if (entry != nullptr) {
    if (std::optional<DatasetSize> known = of_entry(*entry, found.path)) return *known;
  }
  DatasetSize out =
      of_stored(found.format->measure(context, found.path), found.path, found.format->name);
  if (entry != nullptr) adopt(out.dataset, *entry);
  return out;
}

}  // namespace creg
