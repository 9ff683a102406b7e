// What the steps of an epoch train on: the whole graph in one step, or one batch after another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contrast/device_batches.h"
#include "core/prefetcher.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/core/context.h"
#include "creg/train/config.h"
#include "graph/epoch_batches.h"
#include "graph/neighbour_sampler.h"
#include "train/training_step.h"

namespace creg {

/// Which of an epoch's batches are drawn here: of the batches of every update, in their order, each
/// `size`-th from number `rank`.
struct BatchShare {
  int rank = 0;
  int size = 1;
  int per_update = 1;
};

class EpochSteps {
 public:
  /// `graph` has prepared features and outlives this. Batches are drawn, and their features
  /// gathered, ahead of their use on threads of their own: by the GPU where that is the Context's
  /// device, which reads graph and features from pinned memory of the host where it has no room for
  /// them beside the run.
  /// A supervised method sees the labels of the nodes `labelled`.
  EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
             const Model& model, std::span<const std::int32_t> labelled = {},
             BatchShare share = {});
  /// Of inputs made elsewhere, which every step sees.
  EpochSteps(const Context& context, const Graph& graph, const TrainConfig& config,
             GraphInputs inputs, std::span<const std::int32_t> labelled);
  EpochSteps(const EpochSteps&) = delete;
  EpochSteps& operator=(const EpochSteps&) = delete;
  ~EpochSteps();

  std::int64_t per_epoch() const { return per_epoch_; }
  /// Gets ready for the steps first.. of an epoch, or for this rank's share of them.
  void start(int epoch, std::int64_t first);
  /// The next step's inputs, good until the next call.
  const GraphInputs& next();
  /// A number of its own for every step of a run, small enough for random streams.
  std::uint32_t draw(int epoch, std::int64_t step) const {
    return static_cast<std::uint32_t>(epoch * per_epoch_ + step);
  }

  /// The inputs of the whole graph; null where neighbourhoods are sampled.
  const GraphInputs* whole() const { return sampled() ? nullptr : &*inputs_; }

 private:
  bool sampled() const { return sampler_ != nullptr || on_device_ != nullptr; }
  GraphInputs make_batch(const EpochBatches& batches, int epoch, std::int64_t step) const;

  Context context_;
  const Graph& graph_;
  TrainConfig config_;
  int threads_ahead_;
  bool neighbours_seen_;
  std::int64_t per_epoch_ = 1;
  // Both null: every step sees the whole graph.
  std::unique_ptr<NeighbourSampler> sampler_;  // of the CPU
  std::unique_ptr<DeviceBatches> on_device_;
  std::unique_ptr<EpochBatches> starts_;  // the epoch's, where steps differ in their seeds
  std::size_t next_ = 0;                  // of own_, there
  BatchShare share_;
  std::vector<std::int64_t> own_;  // steps of the epoch that are drawn here, of those to come
  std::optional<GraphInputs> inputs_;
  std::unique_ptr<Prefetcher<GraphInputs>> ahead_;
};

}  // namespace creg
