// Training of one encoder by several processes, each of which has a part of the graph
// (graph/graph_parts.h): the draws and losses of one machine, but for rounding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "creg/train/trainer.h"
#include "graph/graph_parts.h"
#include "nn/part_exchange.h"
#include "train/checkpoint.h"

namespace creg {

/// What one rank has of a run.
struct PartOfRun {
  /// Its graph has as many classes as the whole one.
  GraphPart part;
  std::shared_ptr<PartExchange> exchange;
  TextPairs identity;  ///< of the whole graph, as graph_identity has it
};

/// As `train`, on all ranks at once, with equal configurations and seeds: all of them come to the
/// same parameters, statistics and decisions. The embedding and the scores of classes are those of
/// the own nodes, and `labelled` are rows of the part. Rank 0 keeps the files; a run is resumed by
/// its checkpoint, on any parts of the same graph. Ctrl-C on one rank stops all.
TrainResult train_on_part(const Context& context, const PartOfRun& part, const TrainConfig& config,
                          const RunFiles& files = {}, TrainObserver* observer = nullptr,
                          std::span<const std::int32_t> labelled = {});

/// The checkpoint that rank 0 reads. A file that it cannot read is its error; the others learn of
/// it by its end.
Checkpoint read_on_all(PartExchange& part, const std::string& file);

/// Rows of the own nodes of all ranks in the order of the whole graph: on rank 0, on others empty.
/// They come in pieces, into memory or, where `folder` is one, into a file there without a name,
/// whose pages the system may drop.
DenseMatrix gathered_rows_of_all(PartExchange& part, const DenseMatrix& own,
                                 const std::filesystem::path& folder = {});

}  // namespace creg
