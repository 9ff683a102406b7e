#include "run/open_data.h"

#include "creg/core/error.h"
#include "io/data_folder.h"

namespace creg {

namespace {

/// Whether the user's own files are meant; flags that contradict each other are input errors.
bool own_files(const DataSpec& spec) {
  const bool own = !spec.edges.empty();
  if (!own &&
      (!spec.features.empty() || !spec.labels.empty() || !spec.splits.empty() || spec.directed)) {
    fail_input({.what = "--features, --labels, --splits and --directed go with --edges",
                .hint = "name the edge list: --edges FILE"});
  }
  if (own && !spec.dataset.empty()) {
    fail_input({.what = "two datasets were named",
                .found = "'" + spec.dataset + "' and --edges " + spec.edges,
                .expected = "one of them"});
  }
  return own;
}

UserDatasetSpec own_spec(const DataSpec& spec) {
  UserDatasetSpec files;
  files.edges = spec.edges;
  files.name = files.edges.stem().string();
  files.features = spec.features;
  files.labels = spec.labels;
  files.splits.assign(spec.splits.begin(), spec.splits.end());
  files.directed = spec.directed;
  files.reading = spec.reading;
  return files;
}

}  // namespace

Dataset open_data(const Context& context, const DataSpec& spec) {
  if (own_files(spec)) return open_user_dataset(context, own_spec(spec));
  return open_dataset(context, spec.dataset, data_folder(spec.data_dir.string()), spec.reading);
}

DatasetSize measure_data(const Context& context, const DataSpec& spec) {
  if (own_files(spec)) return user_dataset_size(own_spec(spec));
  return dataset_size(context, spec.dataset, data_folder(spec.data_dir.string()));
}

Graph open_graph(const Context& context, const DataSpec& spec) {
  return prepare_graph(context, open_data(context, spec), spec.transforms);
}

}  // namespace creg
