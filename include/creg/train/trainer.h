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

/// Somebody who looks on. Called between epochs, on the training thread.
class TrainObserver {
 public:
  TrainObserver() = default;
  TrainObserver(const TrainObserver&) = delete;
  TrainObserver& operator=(const TrainObserver&) = delete;
  virtual ~TrainObserver() = default;

  virtual void epoch_done(const EpochStatistics& /*statistics*/) {}
  /// Whether to call `look` now: before the first epoch and after each.
  virtual bool wants_snapshot(int /*epochs_done*/, bool /*over*/) { return false; }
  virtual void look(const Snapshot& /*snapshot*/) {}
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
};

struct Checkpoint;

struct TrainResult {
  DenseMatrix embedding;                ///< of the selected epoch
  DenseMatrix class_scores;             ///< likewise, of a method with a classifier; or empty
  std::vector<EpochStatistics> epochs;  ///< those run by this call
  int epochs_run = 0;                   ///< in all, earlier calls of a resumed run included
  int best_epoch = 0;
  double seconds = 0;  ///< in all likewise
  /// What checkpoint.pt would hold, of a run that has no folder and trains something.
  std::shared_ptr<const Checkpoint> checkpoint;
};

/// Trains on a prepared graph (prepare_graph). The Context's seed decides every random draw. With a
/// directory it keeps checkpoint.pt and metrics.jsonl there. After Ctrl-C the epoch (the batch,
/// where there are batches) is finished, a checkpoint written, and Interrupted thrown. A loss that
/// is not finite is an environment error that names the epoch; the checkpoint then holds the best
/// parameters so far. A supervised method sees the labels of the nodes `labelled`, others none.
TrainResult train(const Context& context, const Graph& graph, const TrainConfig& config,
                  const RunFiles& files = {}, TrainObserver* observer = nullptr,
                  std::span<const std::int32_t> labelled = {});

/// Keeps checkpoint.pt and metrics.jsonl of a run that had no folder.
void write_training(const std::filesystem::path& directory, const TrainResult& result);

/// The embedding of `graph` by the encoder kept in a checkpoint. The graph may be another one than
/// it was trained on, with features of the same width.
DenseMatrix embed(const Context& context, const Graph& graph,
                  const std::filesystem::path& checkpoint);

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
