// Pretrain and fine-tune: does an encoder that has seen one part of a graph without labels learn
// another part's labels better than one that starts afresh?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/train/config.h"

namespace creg {

/// Disjoint parts of a graph's nodes, each ascending.
struct PretrainParts {
  Array<std::int32_t> pretrain;  ///< the encoder sees these first, without labels
  Array<std::int32_t> train;     ///< then these, with them
  Array<std::int32_t> val;
  Array<std::int32_t> test;
};

/// The first `share` of the nodes by number for pretraining, the others in thirds: train, val,
/// test. `share` lies between 0 and 1; a part without nodes is an input error.
PretrainParts parts_by_number(std::int64_t nodes, double share);

/// The parts of a split, and all other nodes for pretraining. A part without nodes is an input
/// error.
PretrainParts parts_of_split(const Split& split, std::int64_t nodes);

/// The training nodes of a stored split for pretraining, the others in thirds by number.
PretrainParts parts_after_training(const Split& split, std::int64_t nodes);

struct FinetuneOptions {
  double lr = 1e-3;
  double weight_decay = 0;
  int epochs = 300;   ///< at most
  int patience = 30;  ///< stop after more epochs than this without a better validation accuracy
};

struct FinetuneResult {
  double accuracy = 0;  ///< on the test part, of the epoch that was best on the val part
  double val_accuracy = 0;
  int best_epoch = 0;  ///< from 0
  int epochs_run = 0;
  std::int64_t train = 0;  ///< labelled nodes
  std::int64_t val = 0;
  std::int64_t test = 0;
  /// Classes of the val and test parts that no training node has: they cannot be found.
  std::int64_t classes_not_in_train = 0;
  double seconds = 0;
};

/// Trains the encoder with a linear classifier on its output by cross entropy, both on the graph
/// that the train nodes induce, and measures on the graph that train, val and test nodes induce.
/// The encoder starts from `checkpoint` or, without one, from fresh parameters by `config`; the
/// Context's seed draws whatever starts fresh. A checkpoint of another width of features is an
/// input error that names both; so is a part without labels.
FinetuneResult finetune(const Context& context, const Graph& graph, const PretrainParts& parts,
                        const TrainConfig& config,
                        const std::optional<std::filesystem::path>& checkpoint,
                        const FinetuneOptions& options = {});

}  // namespace creg
