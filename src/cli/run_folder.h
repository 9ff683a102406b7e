// The folder of a run: what is written before training, and read again to go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/train_options.h"

namespace creg::cli {

/// What DIR/config.toml says beside the parameters.
struct RunRecord {
  std::string dataset;  ///< a name, or an absolute path
  std::string recipe;
  std::vector<std::string> transforms;
  std::uint64_t seed = 0;
  int seeds = 0;  ///< 0: one run in DIR itself; else seeds 0..seeds-1 in folders of their own
  int threads = 0;
  std::optional<std::uint64_t> edge_split;  ///< the seed of the edge split; none: all edges
  int calibrate = 0;                        ///< epochs between two looks at the calibration
  bool pretrain = false;                    ///< on the part of the graph that parts.json leaves
  TrainConfig config;
};

/// What would be recorded of this run. A user's own files are described in DIR/dataset.toml, which
/// is written too.
RunRecord record_run(const std::filesystem::path& directory, const ChosenRun& run,
                     const DatasetOptions& options);

/// config.toml of `directory`, which is made. A folder that holds something else than a run is an
/// input error: nothing of a user's is overwritten by mistake.
void write_record(const std::filesystem::path& directory, const RunRecord& record);

/// DIR/edge-split.json: the edges that the run in DIR does not see.
std::filesystem::path edge_split_path(const std::filesystem::path& directory);

/// The run on the training edges of a fresh split.
void hold_out_edges(const Context& context, ChosenRun& run, std::uint64_t seed);

/// The run on the training edges of the split kept in `directory`, or, where a run was stopped
/// before it was kept, of the same one made again. A kept split of another seed is an input error.
void hold_out_kept_edges(const Context& context, ChosenRun& run, std::uint64_t seed,
                         const std::filesystem::path& directory);

RunRecord read_record(const std::filesystem::path& directory);

/// runs/<dataset>-<method>, made fit for a file name.
std::filesystem::path default_run_folder(const ChosenRun& run);

}  // namespace creg::cli
