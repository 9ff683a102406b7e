#include "cli/options/embedding_options.h"

namespace creg::cli {

void add_embedding_options(CLI::App& command, EmbeddingOptions& options) {
  command
      .add_option("embedding", options.source,
                  "The folder of creg train --out, also of several seeds, or an .npy file")
      ->type_name("DIR|EMB.npy")
      ->required();
  add_dataset_options(command, options.dataset, DatasetFlags::without_splits);
  add_normalize_option(command, options.normalize);
  command
      .add_option("--smooth", options.smooth,
                  "Take H + Â^N H instead of the rows H before: default as the run's recipe says")
      ->type_name("N")
      ->check(CLI::Range(0, 1000));
}

void add_normalize_option(CLI::App& command, std::string& normalize) {
  command
      .add_option("--normalize", normalize,
                  "Rows of length 1, or spread out by how many directions they use: default as the "
                  "run's recipe and the protocol say")
      ->type_name("none|l2|spread");
}

}  // namespace creg::cli
