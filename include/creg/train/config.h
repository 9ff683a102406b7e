// Everything that decides what a run computes, in one struct. Its parameters, with their defaults,
// ranges and help, are listed in train/parameters.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "creg/contrast/options.h"
#include "creg/core/named_enum.h"
#include "creg/methods/entry.h"
#include "creg/nn/encoder_options.h"

namespace creg {

/// Which epoch's parameters a run keeps.
enum class Select {
  loss,  ///< the lowest training loss
  last,
  val,          ///< the best validation accuracy, looked at every few epochs
  calibration,  ///< the best calibrated by what needs no labels, looked at likewise
  val_ece,      ///< the lowest calibration error over pairs of validation nodes, likewise
  /// The best clustering by the labels of all nodes, test nodes included, likewise: how GDCL
  /// publishes, to show what it is worth; not a way to choose.
  clustering_peek,
};
template <>
struct EnumNames<Select> {
  static constexpr std::array<std::string_view, 6> names = {
      "loss", "last", "val", "calibration", "val-ece", "clustering-peek"};
};

/// Training in batches of nodes with sampled neighbourhoods instead of on the whole graph.
struct BatchOptions {
  std::int64_t size = 0;                 ///< nodes of a batch; 0: the whole graph at once
  std::vector<int> fanouts{10, 10, 25};  ///< neighbours drawn, from the nodes outward
  bool replace = false;                  ///< draws may repeat a neighbour
  std::int64_t per_epoch = 0;            ///< batches of an epoch; 0: all nodes once
  BatchNeighbours neighbours = BatchNeighbours::subgraph;
  /// Batches whose gradients make one step of Adam: their mean. Ranks share them; results depend on
  /// this and not on the number of ranks.
  int per_update = 1;
};

/// How the learning rate moves over the epochs.
enum class Schedule {
  constant,
  cosine,  ///< lr · (1 + cos(pi · epoch / epochs)) / 2
};
template <>
struct EnumNames<Schedule> {
  static constexpr std::array<std::string_view, 2> names = {"constant", "cosine"};
};

struct TrainConfig {
  std::string method = "ml";
  /// The method itself where it is a program's own; `method` is then its name.
  std::shared_ptr<const MethodEntry> added;
  /// Own parameters of methods that were set, by key, as OwnParameter::read returns their values.
  std::map<std::string, std::string> own;
  EncoderOptions encoder;
  ContrastOptions contrast;
  ViewOptions views;
  std::int64_t clusters = 0;  ///< of methods that look for some; 0: as many as there are classes
  RegulariserOptions regulariser{.contrast = true};
  BatchOptions batch;
  double lr = 1e-3;
  Schedule schedule = Schedule::constant;
  double weight_decay = 0;
  bool named_decay = false;  ///< weight decay was asked for by name, perhaps without a value
  int epochs = 300;          ///< the most there will be
  int patience = 40;         ///< stop after more epochs than this without a lower loss; 0: never
  Select select = Select::loss;
  bool link_counts = false;  ///< edges count as often as they are stored, loops and both directions
  /// Columns that a graph without features gets, made of its structure; 0: none.
  std::int64_t structure_features = 128;
  bool pre_norm = false;  ///< divide each row of features by max(its sum, 1)
  /// encoder.feature_scale is measured before the first step: embeddings start with a mean length
  /// of 1.
  bool auto_feature_scale = false;
  bool final_norm = false;    ///< evaluation divides each embedding by its length
  bool final_spread = false;  ///< else its classifier takes them by Normalize::spread
  int smooth = 0;             ///< evaluation takes H + Â^n H with this n; 0: H as it is
};

/// The configuration's method, a program's own or one of the library's by name.
const MethodEntry& method_of(const TrainConfig& config);

/// What the method is made and checked by; without a graph its sizes are 0.
MethodOptions method_options(const TrainConfig& config, const Graph* graph = nullptr);

/// The L2 penalty that Adam adds.
double effective_weight_decay(const TrainConfig& config);

/// An input error for a combination that makes no sense, naming both sides.
void check_config(const TrainConfig& config);

}  // namespace creg
