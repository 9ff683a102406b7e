#include "run/open_data.h"

#include "core/memory_limits.h"
#include "core/text.h"
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

/// The folder of a run on a program's own graph names what no file holds.
void refuse_memory(const std::string& dataset) {
  if (!dataset.starts_with(memory_prefix)) return;
  fail_input({.what = "the run's graph was in the memory of a program",
              .file = dataset.substr(memory_prefix.size()),
              .hint = "write it to a file there, and name that with --dataset FILE"});
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

/// A graph that cannot fit is refused before it is read or made: who is killed for it has no
/// message. Guesses refuse nobody, nor does a file that is mapped.
void require_room(const DatasetSize& size) {
  const MemoryLimit available = memory_left();
  // While its rows are made the edges stand beside them, twice the room (measured: 1.3 to 1.8).
  const std::int64_t bytes = 3 * size.graph.adjacency_bytes + size.graph.feature_bytes;
  if (size.estimated || size.dataset.format == "creg" || bytes <= available.bytes) return;
  fail_environment(
      {.what = "this graph would take more memory than there is",
       .file = size.dataset.raw.name,
       .found = human_bytes(bytes),
       .expected = "at most " + human_bytes(available.bytes) + ", by " + available.name,
       .hint = "creg data convert NAME graph.creg on a larger machine makes a file "
               "that is mapped, and --batch-size trains on samples of it"});
}

}  // namespace

Dataset open_data(const Context& context, const DataSpec& spec) {
  require_room(measure_data(context, spec));
  if (own_files(spec)) return open_user_dataset(context, own_spec(spec));
  refuse_memory(spec.dataset);
  return open_dataset(context, spec.dataset, data_folder(spec.data_dir.string()), spec.reading);
}

DatasetSize measure_data(const Context& context, const DataSpec& spec) {
  if (own_files(spec)) return user_dataset_size(own_spec(spec));
  refuse_memory(spec.dataset);
  return dataset_size(context, spec.dataset, data_folder(spec.data_dir.string()));
}

Graph open_graph(const Context& context, const DataSpec& spec) {
  return prepare_graph(context, open_data(context, spec), spec.transforms);
}

}  // namespace creg
