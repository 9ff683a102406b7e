// The ranks that train on a graph in parts, without a word of tensors.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "creg/train/trainer.h"
#include "io/checkpoint_file.h"
#include "io/partition_folder.h"

namespace creg {

class Communicator;

class PartSession {
 public:
  /// On all ranks at once, each with its part, of which the communicator has as many ranks. Both
  /// outlive this.
  PartSession(Communicator& communicator, const StoredPart& stored);
  PartSession(const PartSession&) = delete;
  PartSession& operator=(const PartSession&) = delete;
  ~PartSession();

  int rank() const;
  int size() const;
  /// Ranks that share this rank's host, itself included.
  int ranks_here() const;

  // All ranks make the following calls together.

  /// An input error on all ranks that names what differs from rank 0: pairs of a thing and its
  /// value, in one order.
  void check_same(const TextPairs& things);
  /// train_on_part; `labelled` are rows of the part. When it is interrupted ranks have parted.
  TrainResult train(const Context& context, const TrainConfig& config, const RunFiles& files,
                    TrainObserver* observer, std::span<const std::int32_t> labelled);
  /// Rows of the own nodes in the order of the whole graph: on rank 0, else empty. Where they would
  /// take much of what memory there is, they are in a file without a name in `folder`.
  DenseMatrix gathered(const DenseMatrix& own, const std::filesystem::path& folder);
  /// What parts know of all nodes but edges and features: names, labels and splits. On rank 0, else
  /// a graph without nodes.
  Graph nodes_of_all();
  /// What rank 0 says.
  std::optional<double> from_first(const std::optional<double>& value);
  void barrier();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a checkpoint keeps of the whole graph.
TextPairs graph_identity(const PartitionManifest& manifest);

}  // namespace creg
