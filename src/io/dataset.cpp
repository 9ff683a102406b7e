#include "creg/io/dataset.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/generators.h"
#include "graph/transforms.h"
#include "io/catalogue.h"
#include "io/creg_file.h"
#include "io/data_folder.h"
#include "io/formats/detect.h"
#include "io/formats/ogb.h"
#include "io/formats/planetoid.h"
#include "io/formats/read_user_dataset.h"
#include "io/formats/reddit.h"
#include "io/formats/scipy_sparse.h"
#include "io/formats/wiki_tadw.h"
#include "io/formats/wikics.h"
#include "io/gnn_benchmark.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

Graph adjacency_graph(const Context& context, const Bytes& file) {
  Graph graph;
  graph.name = fs::path(file.name).stem().string();
  graph.adjacency = sort_rows(context, read_scipy_sparse(context, file));
  graph.directed = true;
  validate(context, graph, file.name);
  return graph;
}

std::string one_planetoid_name(const fs::path& folder) {
  std::vector<std::string> names = planetoid_names(folder);
  if (names.size() != 1) {
    fail_input({.what = "the folder holds several Planetoid datasets",
                .file = folder.string(),
                .found = join_words(names),
                .expected = "the ind.* files of one",
                .hint = "move the files of each into a folder of its own"});
  }
  return std::move(names.front());
}

Dataset read_detected(const Context& context, const DetectedPath& found) {
  Dataset dataset{.source = found.path.string(), .format = std::string(format_name(found.format))};
  switch (found.format) {
    case PathFormat::creg_file:
      dataset.raw = read_creg(context, map_file(found.path));
      break;
    case PathFormat::planetoid:
      dataset.raw = read_planetoid(context, found.path, one_planetoid_name(found.path));
      break;
    case PathFormat::gnn_benchmark:
      dataset.raw = read_gnn_benchmark(context, map_file(found.path));
      break;
    case PathFormat::scipy_sparse:
      dataset.raw = adjacency_graph(context, map_file(found.path));
      break;
    case PathFormat::wiki_tadw:
      dataset.raw = read_wiki(context, found.path);
      break;
    case PathFormat::ogb:
      dataset.raw = read_ogb(context, found.path);
      break;
    case PathFormat::reddit:
      dataset.raw = read_reddit(context, found.path);
      break;
    case PathFormat::wikics:
      dataset.raw = read_wikics(context, map_file(found.path));
      break;
    case PathFormat::user_dataset: {
      const UserDatasetSpec spec =
          parse_user_dataset(map_file(found.path), found.path.parent_path());
      dataset.raw = read_user_dataset(context, spec);
      dataset.transforms = spec.transforms;
      break;
    }
    case PathFormat::edge_list:
      dataset.raw = read_edge_list_graph(context, map_file(found.path));
      break;
  }
  return dataset;
}

void adopt(Dataset& dataset, const CatalogueEntry& entry) {
  dataset.entry = &entry;
  dataset.raw.name = entry.name;
  dataset.protocol = entry.protocol;
  dataset.transforms.assign(entry.transforms.begin(), entry.transforms.end());
}

Dataset open_catalogued(const Context& context, const CatalogueEntry& entry,
                        const fs::path& data_dir) {
  const fs::path path = require_dataset(entry, data_dir);
  verify_dataset(context, entry, dataset_folder(entry, data_dir));
  Dataset dataset = read_detected(context, detect_path(path));
  adopt(dataset, entry);
  return dataset;
}

bool looks_like_a_path(const std::string& name) {
  std::error_code ignored;
  return name.find('/') != std::string::npos || fs::exists(name, ignored);
}

}  // namespace

Dataset open_dataset(const Context& context, const std::string& name, const fs::path& data_dir) {
  const std::string wanted = name.empty() ? std::string(default_dataset) : name;
  if (wanted.starts_with("synthetic:")) {
    Dataset dataset{.source = wanted, .format = "synthetic", .protocol = "public"};
    dataset.raw = generate(context, parse_synthetic(wanted));
    dataset.raw.name = wanted;
    return dataset;
  }
  // A catalogue name wins over a file of that name in the current folder: write ./NAME for that.
  if (const CatalogueEntry* entry = find_dataset(wanted)) {
    return open_catalogued(context, *entry, data_dir);
  }
  if (!looks_like_a_path(wanted)) dataset_by_name(wanted);  // throws, with suggestions
  Dataset dataset = read_detected(context, detect_path(wanted));
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
