// Runs of one configuration with one or several seeds: trained, kept in folders, evaluated.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/options/train_options.h"
#include "creg/core/context.h"
#include "creg/core/progress.h"
#include "creg/tasks/classify.h"
#include "creg/train/trainer.h"

namespace creg::cli {

struct RunPlan {
  std::vector<std::uint64_t> seeds;
  /// Where the runs are kept: a single seed in the folder itself, several in seed-<s> below it.
  /// Empty: nothing is written.
  std::filesystem::path directory;
  bool several = false;  ///< folders per seed even for one
  bool resume = false;
  int splits = 0;  ///< of the evaluation; 0: the protocol's own number
  bool evaluate = true;
  int calibrate = 0;  ///< measure the calibration every so many epochs, in DIR/calibration.jsonl
  /// Where that file goes when the runs themselves are not kept: into seed-<s> below this folder.
  std::filesystem::path calibration_folder;
};

struct SeedResult {
  std::uint64_t seed = 0;
  TrainResult training;
  std::optional<ClassifyResult> classification;  ///< where there are labels
};

/// Writes what the runs begin with into the plan's folder, and into those of the seeds where there
/// are several: config.toml, and the edges that they do not see. `threads` are those of one run.
void write_records(const Context& context, const ChosenRun& run, const RunPlan& plan,
                   const DatasetOptions& dataset, int threads);

/// Trains every seed. Several seeds run side by side, one thread each, when there are threads and
/// memory for it.
std::vector<SeedResult> run_seeds(const Context& context, const ChosenRun& run,
                                  const RunPlan& plan);

/// The run of the Context's seed on its threads, alone. `epochs` counts along where it is given.
SeedResult run_one(const Context& context, const ChosenRun& run, const RunPlan& plan,
                   ProgressTask* epochs = nullptr);

/// The Context for one of several runs side by side: one thread, no progress of its own.
Context side_context(const Context& context, std::uint64_t seed);

/// Every parameter of the configuration, by key.
nlohmann::ordered_json config_json(const TrainConfig& config);

/// result.json of one seed or of all.
nlohmann::ordered_json result_json(const Context& context, const ChosenRun& run,
                                   const std::vector<SeedResult>& results);

/// The threads each run has, when `seeds` of them are to be done.
int threads_per_run(const Context& context, const ChosenRun& run, std::size_t seeds);

}  // namespace creg::cli
