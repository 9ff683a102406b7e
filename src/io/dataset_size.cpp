#include "io/dataset_size.h"

#include <algorithm>
#include <utility>

#include "graph/generators.h"
#include "io/catalogue.h"
#include "io/containers/inflate.h"
#include "io/creg_file.h"
#include "io/data_folder.h"
#include "io/formats/detect.h"
#include "io/formats/node_table.h"
#include "io/formats/read_user_dataset.h"
#include "io/npy.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// The catalogue does not know how many cells of sparse features are filled. Measured: 35 % of
/// computers and photo, with some 750 columns; 13 % of wiki and 1.3 % of cora, with more. The
/// fullest of each kind stands for all, so bags of many words are estimated too high.
std::int64_t percent_filled(std::int64_t columns) {
  constexpr std::int64_t many = 1000;
  constexpr std::int64_t of_few = 35;
  constexpr std::int64_t of_many = 14;
  return columns < many ? of_few : of_many;
}

GraphSize undirected(std::int64_t nodes, std::int64_t edges, std::int64_t features) {
  return {.nodes = nodes, .entries = 2 * edges, .features = features};
}

DatasetSize of_generator(const std::string& name) {
  const GeneratorSpec spec = parse_synthetic(name);
  GraphSize size = undirected(spec.nodes, spec.edges, spec.feature_count);
  size.classes = static_cast<std::int64_t>(spec.class_shares.size());
  size.sparse_features = spec.features != SyntheticFeatures::dense;
  size.feature_entries =
      size.sparse_features ? static_cast<std::int64_t>(spec.words * static_cast<double>(spec.nodes))
                           : spec.nodes * spec.feature_count;
  DatasetSize out{.dataset = {.source = name, .format = "synthetic", .protocol = "public"},
                  .graph = with_bytes(size),
                  .edges = spec.edges};
  // Ones are not stored as numbers.
  constexpr std::int64_t number = 4;
  if (spec.features == SyntheticFeatures::bag_of_words) {
    out.graph.feature_bytes -= number * size.feature_entries;
  }
  out.dataset.raw.name = name;
  return out;
}

std::optional<DatasetSize> of_entry(const CatalogueEntry& entry, const fs::path& data_dir) {
  const DatasetFigures& figures = entry.figures;
  if (figures.nodes < 0 || figures.edges < 0 || figures.features < 0) return std::nullopt;
  GraphSize size = undirected(figures.nodes, figures.edges, figures.features);
  size.classes = std::max<std::int64_t>(figures.classes, 0);
  size.sparse_features =
      entry.format != "ogb" && entry.format != "reddit" && entry.format != "wikics";
  const std::int64_t cells = size.nodes * size.features;
  size.feature_entries = size.sparse_features ? cells * percent_filled(size.features) / 100 : cells;
  DatasetSize out{.dataset = {.source = require_dataset(entry, data_dir).string(),
                              .format = std::string(entry.format),
                              .transforms = {entry.transforms.begin(), entry.transforms.end()},
                              .protocol = std::string(entry.protocol),
                              .entry = &entry},
                  .graph = with_bytes(size),
                  .edges = figures.edges};
  out.dataset.raw.name = entry.name;
  return out;
}

DatasetSize of_creg(const Context& context, const fs::path& path) {
  CregSize stored = read_creg_size(context, map_file(path));
  DatasetSize out{.dataset = {.source = path.string(), .format = "creg"},
                  .graph = stored.graph,
                  .edges = stored.graph.entries};
  // Edges may be stored in one direction.
  if (!stored.graph.directed) out.graph.entries *= 2;
  out.graph = with_bytes(out.graph);
  out.dataset.raw.name = std::move(stored.name);
  return out;
}

/// Rows of a text as long as its first ones are, and fields of the first row of data.
struct TextSize {
  std::int64_t rows = 0;
  std::int64_t fields = 0;
};

TextSize size_of_text(const Bytes& bytes) {
  constexpr std::size_t looked_at = 1000;
  constexpr std::int64_t expansion = 4;  // of text that gzip has packed
  const TextHead head = read_head(bytes, looked_at);
  if (head.rows.empty()) return {};
  const std::int64_t seen = head.rows.back().end - head.rows.front().begin;
  const auto rows = static_cast<std::int64_t>(head.rows.size());
  const std::string& last = head.rows.back().text;
  const auto fields = static_cast<std::int64_t>(split_row(last, detect_separator(last)).size());
  if (head.rows.size() < looked_at) return {.rows = rows, .fields = fields};
  const std::int64_t text = bytes.size() * (is_gzip(bytes) ? expansion : 1);
  return {.rows = std::max(rows, text * rows / std::max<std::int64_t>(seen, 1)), .fields = fields};
}

}  // namespace

DatasetSize user_dataset_size(const UserDatasetSpec& spec) {
  DatasetSize out{.dataset = {.source = spec.edges.string(),
                              .format = "user",
                              .transforms = spec.transforms,
                              .protocol = spec.splits.empty() ? "" : "public"},
                  .estimated = true};
  out.dataset.raw.name = spec.name;
  out.edges = size_of_text(map_file(spec.edges)).rows;
  // Without a better source: a mean degree of 4.
  GraphSize size = undirected(std::max<std::int64_t>(out.edges / 2, 1), out.edges, 0);
  size.directed = spec.directed;
  if (!spec.labels.empty()) {
    const Bytes labels = map_file(spec.labels);
    if (!is_array_file(labels)) size.nodes = size_of_text(labels).rows;
  }
  if (spec.nodes) size.nodes = *spec.nodes;
  if (!spec.features.empty()) {
    const Bytes features = map_file(spec.features);
    if (is_npy(features)) {
      const NdArray array = read_npy(features);
      array.require_dimensions(2);
      size.nodes = array.shape()[0];
      size.features = array.shape()[1];
    } else if (!is_array_file(features)) {
      const TextSize text = size_of_text(features);
      size.nodes = text.rows;
      size.features = std::max<std::int64_t>(text.fields - 1, 0);
    }
  }
  size.feature_entries = size.nodes * size.features;
  out.graph = with_bytes(size);
  return out;
}

std::optional<DatasetSize> dataset_size(const Context& context, const std::string& name,
                                        const fs::path& data_dir) {
  const std::string wanted = name.empty() ? std::string(default_dataset) : name;
  if (wanted.starts_with("synthetic:")) return of_generator(wanted);
  if (const CatalogueEntry* entry = find_dataset(wanted)) return of_entry(*entry, data_dir);
  std::error_code ignored;
  if (!fs::exists(wanted, ignored)) return std::nullopt;  // opening it says what is wrong
  const DetectedPath found = detect_path(wanted);
  if (found.format->name == "creg") return of_creg(context, found.path);
  if (found.format->name == "toml") {
    DatasetSize out =
        user_dataset_size(parse_user_dataset(map_file(found.path), found.path.parent_path()));
    out.dataset.source = found.path.string();
    return out;
  }
  if (found.format->name != "edge-list") return std::nullopt;
  return user_dataset_size({.name = found.path.stem().string(), .edges = found.path});
}

}  // namespace creg
