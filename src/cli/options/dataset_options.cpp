#include "cli/options/dataset_options.h"

#include "creg/core/error.h"
#include "run/open_data.h"

namespace creg::cli {

void add_dataset_options(CLI::App& command, DataSpec& options, DatasetFlags flags) {
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
  command.add_flag("--directed", options.directed, "The edges have a direction")->group(own);
  command
      .add_flag("--allow-empty", options.reading.allow_empty,
                "A file of edges, features or labels may hold none")
      ->group(own);
  command
      .add_option_function<std::string>(
          "--unknown-ids",
          [&options](const std::string& name) {
            options.reading.unknown_ids = from_name<UnknownIds>(name).value_or(UnknownIds::error);
          },
          "Ids of labels, splits or edges that the graph does not have: an error, or left out "
          "with a warning [error]")
      ->type_name("error|drop")
      ->check(CLI::IsMember(names_of<UnknownIds>()))
      ->group(own);
  command
      .add_option("--transform", options.transforms,
                  "Also apply these, in this order: symmetrise, largest-component, row-normalise, "
                  "column-max, binarise, standardise …")
      ->type_name("NAME,…")
      ->delimiter(',');
}

DataSpec with_data_dir(DataSpec data, const GlobalOptions& globals) {
  data.data_dir = globals.data_dir;
  return data;
}

void require_dataset(const DataSpec& data) {
  // --features and the like without --edges have a message of their own.
  if (!data.dataset.empty() || !data.edges.empty() || !data.features.empty() ||
      !data.labels.empty() || !data.splits.empty() || data.directed) {
    return;
  }
  fail_input({.what = "no dataset was named",
              .expected = "--dataset NAME or PATH, or --edges FILE with your own files",
              .hint = "creg data list shows the names; the folder of a run knows its own"});
}

Dataset open_chosen(const Context& context, const DataSpec& data, const GlobalOptions& globals) {
  require_dataset(data);
  return open_chosen_or_embedded(context, data, globals);
}

Dataset open_chosen_or_embedded(const Context& context, const DataSpec& data,
                                const GlobalOptions& globals) {
  return open_data(context, with_data_dir(data, globals));
}

}  // namespace creg::cli
