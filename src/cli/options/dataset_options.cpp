#include "cli/options/dataset_options.h"

#include "creg/core/error.h"
#include "io/data_folder.h"

namespace creg::cli {

void add_dataset_options(CLI::App& command, DatasetOptions& options, DatasetFlags flags) {
  const bool all = flags == DatasetFlags::all;
  command
      .add_option(all ? "--dataset,dataset" : "--dataset", options.dataset,
                  "A name (creg data list), synthetic:NAME[@scale], or a path")
      ->type_name("NAME|PATH");
  const std::string own = "Your own files";
  command.add_option("--edges", options.edges, "Edge list: CSV, TSV or spaces, also gzip")
      ->type_name("FILE")
      ->group(own);
  command.add_option("--features", options.features, "Features: .npy, .npz, or CSV keyed by id")
      ->type_name("FILE")
      ->group(own);
  command.add_option("--labels", options.labels, "Labels: CSV keyed by id, or .npy")
      ->type_name("FILE")
      ->group(own);
  if (all) {
    command.add_option("--splits", options.splits, "Splits: JSON, as creg data split writes")
        ->type_name("FILE")
        ->group(own);
  }
  command.add_flag("--directed", options.own.directed, "The edges have a direction")->group(own);
  command
      .add_option("--transform", options.transforms,
                  "Also apply these, in this order: symmetrise, largest-component, row-normalise, "
                  "column-max, binarise, standardise …")
      ->type_name("NAME,…")
      ->delimiter(',');
}

Dataset open_chosen(const Context& context, const DatasetOptions& options,
                    const GlobalOptions& globals) {
  const bool own = !options.edges.empty();
  if (!own && (!options.features.empty() || !options.labels.empty() || !options.splits.empty() ||
               options.own.directed)) {
    fail_input({.what = "--features, --labels, --splits and --directed go with --edges",
                .hint = "name the edge list: --edges FILE"});
  }
  if (!own) return open_dataset(context, options.dataset, data_folder(globals.data_dir));
  if (!options.dataset.empty()) {
    fail_input({.what = "two datasets were named",
                .found = "'" + options.dataset + "' and --edges " + options.edges,
                .expected = "one of them"});
  }
  UserDatasetSpec spec = options.own;
  spec.edges = options.edges;
  if (spec.name.empty()) spec.name = spec.edges.stem().string();
  spec.features = options.features;
  spec.labels = options.labels;
  spec.splits.assign(options.splits.begin(), options.splits.end());
  return open_user_dataset(context, spec);
}

}  // namespace creg::cli
