#include "creg/io/dataset.h"

#include <fmt/format.h>

#include <utility>

#include "graph/generators.h"
#include "graph/transforms.h"
#include "io/catalogue.h"
#include "io/catalogue/adopt.h"
#include "io/data_folder.h"
#include "io/formats/detect.h"
#include "io/formats/read_user_dataset.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

Dataset open_path(const Context& context, const fs::path& path, const ReadOptions& reading) {
  const DetectedPath found = detect_path(path);
  StoredGraph stored = found.format->read(context, found.path, reading);
  return {.source = found.path.string(),
          .format = std::string(found.format->name),
          .raw = std::move(stored.graph),
          .transforms = std::move(stored.transforms)};
}

Dataset open_catalogued(const Context& context, const CatalogueEntry& entry,
                        const fs::path& data_dir, const ReadOptions& reading) {
  const fs::path path = require_dataset(entry, data_dir);
  verify_dataset(context, entry, dataset_folder(entry, data_dir));
  Dataset dataset = open_path(context, path, reading);
  adopt(dataset, entry);
  return dataset;
}

}  // namespace

Dataset open_dataset(const Context& context, const std::string& name, const fs::path& data_dir,
                     const ReadOptions& reading) {
  const std::string wanted = name.empty() ? std::string(default_dataset) : name;
  if (wanted.starts_with("synthetic:")) {
    Dataset dataset{.source = wanted, .format = "synthetic", .protocol = "public"};
    dataset.raw = generate(context, parse_synthetic(wanted));
    dataset.raw.name = wanted;
    return dataset;
  }
  // A catalogue name wins over a file of that name in the current folder: write ./NAME for that.
  if (const CatalogueEntry* entry = find_dataset(wanted)) {
    return open_catalogued(context, *entry, data_dir, reading);
  }
  if (!looks_like_a_path(wanted)) dataset_by_name(wanted);  // throws, with suggestions
  Dataset dataset = open_path(context, wanted, reading);
  if (const CatalogueEntry* entry = identify(context, wanted)) {
    adopt(dataset, *entry);
    context.log().write(LogLevel::info,
                        fmt::format("{} is the dataset {}, by its checksums", wanted, entry->name));
  } else if (!dataset.raw.splits.empty()) {
    dataset.protocol = "public";
  }
  return dataset;
}

Dataset open_user_dataset(const Context& context, const UserDatasetSpec& spec) {
  Dataset dataset{.source = spec.edges.string(), .format = "user", .transforms = spec.transforms};
  dataset.raw = read_user_dataset(context, spec);
  if (!dataset.raw.splits.empty()) dataset.protocol = "public";
  return dataset;
}

Graph prepare_graph(const Context& context, const Dataset& dataset,
                    const std::vector<std::string>& more) {
  Graph graph = apply_transforms(context, dataset.raw, dataset.transforms);
  graph = apply_transforms(context, std::move(graph), more);
  return simple_graph(context, std::move(graph));
}

}  // namespace creg
