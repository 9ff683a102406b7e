#include "run/ranks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "comm/communicator.h"
#include "creg/core/error.h"
#include "graph/epoch_batches.h"
#include "train/parameters.h"
#include "train/update_traffic.h"

namespace creg {

void take_ranks(RunPlan& plan, const RunSpec& spec) {
  plan.ranks = spec.ranks;
  plan.world = spec.world;
  TrainConfig& config = plan.config;
  if (spec.ranks == 0) return;
  // Ranks go through the seeds of a run together, one after the other: a resumed one was scheduled
  // before its ranks were known.
  plan.threads = plan.all_threads;
  if (config.batch.size == 0) {
    fail_input({.what = "without batches there is nothing that processes could share",
                .file = "--distributed",
                .found = "the whole graph in one step",
                .expected = "--batch-size B, with a method and an encoder that run in batches"});
  }
  const Parameter& parameter = find_parameter("batches_per_update");
  if (!plan.resume && !spec.settings.contains(parameter.key) &&
      !plan.origins.contains(parameter.key)) {
    parameter.set(config, std::to_string(spec.ranks));
    plan.origins[parameter.key] = Origin::batches;
  }
  if (config.batch.per_update >= spec.ranks) return;
  fail_input({.what = "more ranks than batches of an update",
              .file = parameter.flag(),
              .found = std::to_string(config.batch.per_update) + " for " +
                       std::to_string(spec.ranks) + " ranks",
              .expected = "at least as many",
              .hint = plan.resume ? "a run keeps the number it began with: resume it with at most "
                                    "so many ranks"
                                  : ""});
}

bool is_first_rank(const RunPlan& plan) {
  return plan.world == nullptr || plan.world->rank() == 0;
}

int ranks_sharing_memory(const RunPlan& plan) {
  if (plan.world == nullptr || plan.device.type != DeviceType::cpu) return 1;
  return plan.world->ranks_here();
}

MemoryEstimate on_this_host(const RunPlan& plan, MemoryEstimate estimate) {
  const int ranks = ranks_sharing_memory(plan);
  if (ranks == 1 || plan.dataset.format != "creg") return estimate;
  return with_shared_graph(std::move(estimate), ranks);
}

NetworkTraffic traffic_of(const RunPlan& plan) {
  const BatchOptions& batch = plan.config.batch;
  std::int64_t batches =
      batches_per_epoch(plan.nodes, std::min(batch.size, std::max<std::int64_t>(1, plan.nodes)));
  if (batch.per_epoch > 0) batches = std::min(batches, batch.per_epoch);
  const std::int64_t full = batches / batch.per_update;
  const std::int64_t rest = batches % batch.per_update;
  const std::int64_t numbers = plan.gradient_numbers;
  NetworkTraffic traffic;
  traffic.updates_per_epoch = full + (rest > 0 ? 1 : 0);
  traffic.bytes_per_update =
      bytes_of_update(numbers, std::min<std::int64_t>(batches, batch.per_update), plan.ranks, 0);
  traffic.bytes_per_epoch = full * bytes_of_update(numbers, batch.per_update, plan.ranks, 0) +
                            (rest > 0 ? bytes_of_update(numbers, rest, plan.ranks, 0) : 0);
  const std::int64_t own_nodes = (plan.nodes + plan.ranks - 1) / plan.ranks;
  traffic.bytes_of_embedding = (plan.ranks - 1) * own_nodes * plan.embedding_numbers *
                               static_cast<std::int64_t>(sizeof(float));
  return traffic;
}

}  // namespace creg
