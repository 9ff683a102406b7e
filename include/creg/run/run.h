// A run from beginning to end: what is asked of it, what will happen, what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"
#include "creg/graph/splits.h"
#include "creg/io/dataset.h"
#include "creg/methods/entry.h"
#include "creg/tasks/classify.h"
#include "creg/train/config.h"
#include "creg/train/trainer.h"

namespace creg {

class Communicator;

// What is asked of a run, in plain values.

/// A dataset by name or path, or a user's own files.
struct DataSpec {
  std::string dataset;  ///< a name, synthetic:NAME[@scale], or a path; empty: the embedded graph
  std::string edges;    ///< own files; the rest goes with them (creg/io/dataset.h)
  std::string features;
  std::string labels;
  std::vector<std::string> splits;
  bool directed = false;
  std::vector<std::string> transforms;  ///< applied after the dataset's own
  std::filesystem::path data_dir;       ///< of the named datasets; empty: $CREG_DATA or the cache
  ReadOptions reading;
};

/// Which nodes are for pretraining and which for fine-tuning.
struct PartsSpec {
  std::string parts;  ///< by-number, stored-train, or a split file; empty: as the dataset has it
  double share = 0;   ///< of by-number; 0: the default
};

/// Settings of a run by their keys (docs/parameters.md): {{"method", "ml"}, {"lr", "0.01"}}.
using Settings = std::map<std::string, std::string>;

struct RunSpec {
  DataSpec data;
  /// A file, "none", "auto": the method's own, for any graph, or empty: the shipped one of this
  /// method and dataset, else the method's own.
  std::string recipe;
  Settings settings;  ///< on top of the recipe
  /// A program's own method; taken where the settings name it.
  std::shared_ptr<const MethodEntry> added;
  /// A program's own encoder, in place of what the recipe and the settings say of one.
  std::shared_ptr<const AddedEncoder> added_encoder;
  /// 0: the Context's seed alone; else the seeds 0 … seeds-1, each with a folder of its own.
  int seeds = 0;
  std::filesystem::path out;  ///< the folder of the run; empty: nothing is written
  /// Where the folder holds a run, what that run wrote is removed first; else it is refused.
  bool overwrite = false;
  std::optional<std::uint64_t> edge_split;  ///< train on the training edges of this split alone
  std::optional<PartsSpec> pretrain;        ///< train on the part of the graph for pretraining
  bool evaluate = true;                     ///< where there are labels
  int eval_splits = 0;                      ///< 0: the protocol's own number
  int calibrate = 0;  ///< epochs between two looks at the calibration; 0: none
  int ranks = 0;      ///< that share the batches of each update; 0: this process alone
  std::shared_ptr<Communicator> world;  ///< these; none for a look at what would happen
  /// Also write what is measured as an event file for TensorBoard.
  bool tensorboard = false;
};

// What will happen in a run: decided once, before it begins, and recorded.

/// Where the value of a setting comes from.
enum class Origin {
  standard,  ///< its default
  recipe,
  asked,    ///< somebody set it for this run
  batches,  ///< training in batches knows no other
};
template <>
struct EnumNames<Origin> {
  static constexpr std::array<std::string_view, 4> names = {"default", "recipe", "asked",
                                                            "batches"};
};

/// The edges that a run does not see, and the graph that has them.
struct HeldOutEdges {
  Graph whole;
  std::uint64_t seed = 0;
  EdgeSplit split;
};

struct PretrainParts;

struct RunPlan {
  DataSpec data;  ///< what was asked for
  Dataset dataset;
  Graph graph;  ///< prepared; with its training edges alone, or a part of it, where that was asked
  TrainConfig config;
  std::map<std::string, Origin> origins;         ///< of every setting that is not at its default
  std::string recipe;                            ///< "recipes/ml/cora.toml", a file, or "none"
  std::shared_ptr<const HeldOutEdges> held_out;  ///< null: trained on all edges
  /// Null: trained on the whole graph; else `graph` is the part for pretraining.
  std::shared_ptr<const PretrainParts> parts;
  PartsSpec parts_from;                ///< how they are chosen, with its defaults filled in
  std::shared_ptr<const Graph> whole;  ///< what the parts are of

  std::vector<std::uint64_t> seeds;
  /// Where the runs are kept: a single seed in the folder itself, several in seed-<s> below it.
  /// Empty: nothing is written.
  std::filesystem::path directory;
  bool several = false;  ///< folders per seed even for one
  bool resume = false;
  bool overwrite = false;  ///< the run that the folder holds
  bool evaluate = true;
  int eval_splits = 0;
  int calibrate = 0;
  bool tensorboard = false;
  /// Where calibration.jsonl goes when the runs themselves are not kept: into seed-<s> below this.
  std::filesystem::path calibration_folder;

  int ranks = 0;                        ///< 0: this process alone
  std::shared_ptr<Communicator> world;  ///< the ranks, of which rank 0 alone writes

  std::int64_t nodes = 0;
  std::int64_t edges = 0;     ///< undirected ones; directed, or of a .creg file: as stored
  std::int64_t features = 0;  ///< columns
  bool estimated = false;     ///< these were guessed: from the sizes of files, or of a part

  std::int64_t gradient_numbers = 0;  ///< that a step changes
  /// Numbers of a node that ranks tell each other while they make the embedding, layer by layer.
  std::int64_t embedding_numbers = 0;
  std::vector<MemoryPart> memory;  ///< of one run, estimated
  std::int64_t memory_bytes = 0;   ///< all of it
  Device device;                   ///< where it computes
  Precision precision = Precision::fp32;
  int all_threads = 1;  ///< of this command
  int threads = 1;      ///< of each run: runs side by side share them
};

/// Opens the dataset (the recipe's, where none is named) and settles everything; says in the log
/// which recipe it took. What makes no sense together is an input error; a graph that is known to
/// be larger than the memory is an environment error before it is read.
RunPlan plan_run(const Context& context, const RunSpec& spec);

/// The same for a dataset that is open.
RunPlan plan_run(const Context& context, const Dataset& dataset, const RunSpec& spec);

/// The same without reading or making the graph: `graph` and `dataset` have a name alone, sizes are
/// as far as headers, the catalogue and the sizes of files tell. For a look at what would happen;
/// not to be executed.
RunPlan plan_dry_run(const Context& context, const RunSpec& spec);

/// The run in this folder, to be continued, on as many threads as it began with (the same number
/// gives the same bytes) or, with `own_threads`, on those of the Context.
RunPlan plan_resume(const Context& context, const std::filesystem::path& directory,
                    const std::filesystem::path& data_dir, bool own_threads);

/// The same without the graph, as by plan_dry_run.
RunPlan plan_dry_resume(const Context& context, const std::filesystem::path& directory,
                        const std::filesystem::path& data_dir, bool own_threads);

/// Says again how many runs go side by side, and how many threads each has, after the number of
/// seeds or the configuration changed.
void schedule_runs(RunPlan& plan);

/// runs/<dataset>-<method>, made fit for a file name.
std::filesystem::path default_run_folder(const RunPlan& plan);

// What came of a run.

struct SeedResult {
  std::uint64_t seed = 0;
  TrainResult training;
  std::optional<ClassifyResult> classification;  ///< where there are labels
};

/// What came of a plan.
struct RunResult {
  RunPlan plan;
  std::vector<SeedResult> seeds;

  /// Of the first seed.
  const DenseMatrix& embedding() const { return seeds.front().training.embedding; }
};

/// Who looks on while a plan is carried out.
struct RunListener {
  /// Called between epochs, on the thread that trains the seed; by several of them at a time where
  /// seeds go side by side.
  std::function<void(std::uint64_t seed, const EpochStatistics& statistics)> epoch_done;
  /// After Ctrl-C a run of one seed without a folder comes back as far as it got, with
  /// TrainResult::stopped; else Interrupted is thrown.
  bool return_stopped = false;
};

/// Trains every seed, several side by side where the plan says so, and keeps them in the plan's
/// folder where it has one. The folder is this run's alone: one that another process writes into,
/// or that holds something else, is an error before anything is written. A run that needs more
/// memory than there is is an environment error before anything is trained.
RunResult execute(const Context& context, const RunPlan& plan, const RunListener& listener = {});

}  // namespace creg
