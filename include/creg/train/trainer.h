// Algorithm 1: training of an encoder by a method and its regularisers, on the whole graph at once
// or in batches of nodes with sampled neighbourhoods.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/train/config.h"

namespace creg {

class Communicator;

/// What is kept of every epoch, and written to metrics.jsonl.
struct EpochStatistics {
  int epoch = 0;              ///< from 0
  double loss = 0;            ///< all of it
  double contrast = 0;        ///< the method's part
  double regulariser = 0;     ///< Contrast-Reg before its ratio; 0 without it
  double positive_sigma = 0;  ///< mean sigma of the positives' scores
  double negative_sigma = 0;
  double norm_mean = 0;  ///< of the embeddings' lengths, before the step
  double norm_variance = 0;
  std::int64_t anchors = 0;
  double lr = 0;
  double ratio = 0;                         ///< the weight of Contrast-Reg; 0 without it
  std::optional<double> val_accuracy;       ///< where it is selected by
  std::optional<double> calibration_score;  ///< likewise; higher is better
  double seconds = 0;
};

/// A run between two epochs.
struct Snapshot {
  int epochs_done = 0;
  bool over = false;                            ///< there will be no further epoch
  const EpochStatistics* statistics = nullptr;  ///< of the last one; none before the first
  const DenseMatrix& embedding;
};

/// What a model makes of the graph.
struct ModelOutput {
  DenseMatrix embedding;  ///< the encoder's
  DenseMatrix
      class_scores;  ///< [nodes, classes] of a method with a classifier of its own, or empty
};

/// Somebody who looks on. Called between epochs, on the training thread. A GPU may be epochs ahead
/// of what is told: of those the host hears together, in order, some ten times a second.
class TrainObserver {
 public:
  TrainObserver() = default;
  TrainObserver(const TrainObserver&) = delete;
  TrainObserver& operator=(const TrainObserver&) = delete;
  virtual ~TrainObserver() = default;

  virtual void epoch_done(const EpochStatistics& /*statistics*/) {}
  /// So many epochs may end before it is told of them; 0: as many as are worth it on the device.
  virtual int epochs_between_looks() const { return 0; }
  /// Whether to call `look` after so many epochs, or before the first. Asked ahead of time too: the
  /// answer depends on what is asked alone.
  virtual bool wants_snapshot(int /*epochs_done*/, bool /*over*/) { return false; }
  virtual void look(const Snapshot& /*snapshot*/) {}
  /// A checkpoint is about to be written: a resumed run goes on behind what was told so far.
  virtual void keeping() {}
  /// How good the embedding is, higher being better: asked for every few epochs when the config
  /// selects by something else than the loss and the end.
  virtual std::optional<double> score(Select /*by*/, const ModelOutput& /*output*/) {
    return std::nullopt;
  }
};

/// Where a run is kept; without a directory nothing is written.
struct RunFiles {
  std::filesystem::path directory;
  bool resume = false;            ///< go on from directory/checkpoint.pt
  double checkpoint_seconds = 5;  ///< at most so long between checkpoints, but for one epoch
  /// After Ctrl-C a run without a directory returns what it has, and says so in
  /// TrainResult::stopped.
  bool return_stopped = false;
  /// The ranks that share the batches; null: this process alone. Rank 0 alone writes, and has the
  /// observer; the others read what they resume from.
  std::shared_ptr<Communicator> world;
};

struct Checkpoint;

struct TrainResult {
  DenseMatrix embedding;                ///< of the selected epoch
  DenseMatrix class_scores;             ///< likewise, of a method with a classifier; or empty
  std::vector<EpochStatistics> epochs;  ///< those run by this call
  int epochs_run = 0;                   ///< in all, earlier calls of a resumed run included
  int best_epoch = 0;
  double seconds = 0;    ///< in all likewise
  bool stopped = false;  ///< by Ctrl-C, before its end
  /// What checkpoint.pt would hold, of a run that has no folder and trains something.
  std::shared_ptr<const Checkpoint> checkpoint;
};

/// Trains on a prepared graph (prepare_graph). The Context's seed decides every random draw. With a
/// directory it keeps checkpoint.pt and metrics.jsonl there. After Ctrl-C the epoch (the batch,
/// where there are batches; what a GPU has been given, a tenth of a second) is finished, a
/// checkpoint written, and Interrupted thrown unless files.return_stopped. A loss that is not
/// finite is an environment error that names the epoch; the checkpoint then holds the best
/// parameters so far. So is a device that runs out of memory; the checkpoint then holds what was
/// done before the step that failed, unless that had begun to change it. A supervised method sees
/// the labels of the nodes `labelled`, others none.
TrainResult train(const Context& context, const Graph& graph, const TrainConfig& config,
                  const RunFiles& files = {}, TrainObserver* observer = nullptr,
                  std::span<const std::int32_t> labelled = {});

/// Keeps checkpoint.pt and metrics.jsonl of a run that had no folder.
void write_training(const std::filesystem::path& directory, const TrainResult& result);

/// The embedding of `graph` by the encoder kept in a checkpoint. The graph may be another one than
/// it was trained on, with features of the same width.
DenseMatrix embed(const Context& context, const Graph& graph,
                  const std::filesystem::path& checkpoint,
                  const std::shared_ptr<const AddedEncoder>& added = nullptr);

/// The same by the encoder of a run that has no folder, with what is in its checkpoint.
DenseMatrix embed(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                  const std::string& name,
                  const std::shared_ptr<const AddedEncoder>& added = nullptr);

/// An input error unless the checkpoint was trained on a graph with the nodes and edges of `graph`:
/// their number and checksum are compared, features are not.
void check_trained_on(const Context& context, const Graph& graph,
                      const std::filesystem::path& checkpoint);

/// What a checkpoint keeps of Contrast-Reg: its matrix W of the selected epoch, and the settings it
/// was trained by.
struct KeptRegulariser {
  DenseMatrix weight;
  TrainConfig config;
};
/// Nothing where the run had none.
std::optional<KeptRegulariser> kept_regulariser(const std::filesystem::path& checkpoint);

/// The configuration kept in a checkpoint.
TrainConfig checkpoint_config(const std::filesystem::path& checkpoint);

}  // namespace creg
