// From flags and recipes to the configuration of a run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/dataset_options.h"
#include "creg/train/config.h"
#include "io/edge_split_file.h"

namespace creg::cli {

struct TrainOptions {
  DatasetOptions dataset;
  std::string recipe;                         ///< a file, "none", or empty: the shipped one
  std::map<std::string, std::string> values;  ///< parameters given as flags, by key
};

/// --recipe and one flag per parameter.
void add_train_options(CLI::App& command, TrainOptions& options);
/// The flags of the parameters alone.
void add_parameter_flags(CLI::App& command, TrainOptions& options);

/// The edges that a run does not see, and the graph that has them.
struct HeldOutEdges {
  Graph whole;
  EdgeSplitFile file;
};

/// A dataset with what it is trained by.
struct ChosenRun {
  Dataset dataset;
  Graph graph;         ///< prepared; with its training edges alone where there are held-out ones
  TrainConfig config;  ///< defaults, then the recipe, then the flags
  std::string recipe;  ///< "recipes/ml/cora.toml", a file, or "none"
  std::vector<std::string> transforms;
  bool pretrain = false;  ///< `graph` is the part of the dataset for pretraining
  std::shared_ptr<const HeldOutEdges> held_out;  ///< null: trained on all edges
};

/// Opens the dataset (the recipe's, where no flag names one) and settles the configuration; says
/// in the log which recipe it took.
ChosenRun choose_run(const Context& context, const TrainOptions& options,
                     const GlobalOptions& globals);

}  // namespace creg::cli
