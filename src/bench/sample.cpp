#include "bench/sample.h"

#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "bench/plain/plain_sample.h"
#include "core/parallel.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/epoch_batches.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "ops/tensors.h"

namespace creg {
namespace {

// Enough for every thread to have several, so that the last one does not decide the time.
constexpr std::int64_t batches_per_thread = 4;

/// The seeds of batches counted through the epochs.
class SeedOrder {
 public:
  SeedOrder(std::int64_t nodes, std::int64_t batch_size, std::uint64_t seed)
      : nodes_(nodes),
        batch_size_(batch_size),
        seed_(seed),
        per_epoch_(batches_per_epoch(nodes, batch_size)) {}

  std::vector<std::vector<std::int32_t>> of_round(int round, std::int64_t batches) {
    std::vector<std::vector<std::int32_t>> out;
    for (std::int64_t step = round * batches; step < (round + 1) * batches; ++step) {
      const std::int64_t epoch = step / per_epoch_;
      if (!order_ || epoch != epoch_) {
        order_.emplace(nodes_, batch_size_, seed_, static_cast<std::uint32_t>(epoch));
        epoch_ = epoch;
      }
      const std::span<const std::int32_t> seeds = (*order_)[step % per_epoch_];
      out.emplace_back(seeds.begin(), seeds.end());
    }
    return out;
  }

 private:
  std::int64_t nodes_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
  std::int64_t per_epoch_;
  std::int64_t epoch_ = 0;
  std::optional<EpochBatches> order_;
};

/// Sums over batches, from any thread.
class Totals {
 public:
  void add(std::int64_t nodes, std::int64_t edges, std::int64_t bytes) {
    ++batches_;
    nodes_ += nodes;
    edges_ += edges;
    std::int64_t largest = largest_;
    while (bytes > largest && !largest_.compare_exchange_weak(largest, bytes)) {
    }
  }
  BatchSizes means() const {
    const auto batches = static_cast<double>(std::max<std::int64_t>(batches_, 1));
    return {.nodes = static_cast<double>(nodes_) / batches,
            .edges = static_cast<double>(edges_) / batches};
  }
  std::int64_t largest_bytes() const { return largest_; }

 private:
  std::atomic<std::int64_t> batches_{0};
  std::atomic<std::int64_t> nodes_{0};
  std::atomic<std::int64_t> edges_{0};
  std::atomic<std::int64_t> largest_{0};
};

}  // namespace

SampleBench bench_sample(const Context& context, const Graph& graph, const SamplerOptions& sampler,
                         std::int64_t batch_size, const MeasureOptions& options,
                         bool compare_plain) {
  if (context.device().type != DeviceType::cpu) {
    fail_input({.what = "neighbourhoods that are drawn apart from training are drawn by the CPU",
                .file = "--device",
                .found = context.device().name(),
                .expected = "cpu",
                .hint = "creg bench epoch --encoder sage --batch-size N times whole batches, which "
                        "a GPU draws itself"});
  }
  install_tensor_memory();
  prepare_torch(context);
  const CsrMatrix gathered = graph.directed ? transpose(context, graph.adjacency) : graph.adjacency;
  const NeighbourSampler ours(gathered, sampler);
  SeedOrder order(graph.nodes(), batch_size, context.seed());
  SampleBench out;
  out.batches = batches_per_thread * context.threads();

  // The seeds are there before either clock starts.
  std::vector<std::vector<std::vector<std::int32_t>>> rounds;
  for (int round = 0; round < options.warm_up + options.repetitions; ++round) {
    rounds.push_back(order.of_round(round, out.batches));
  }
  Totals totals;
  std::vector<Contestant> contestants = {{[&](int round) {
    parallel_tasks(context, out.batches, [&](std::int64_t i) {
      const SampledBatch batch =
          ours.sample(rounds[static_cast<std::size_t>(round)][static_cast<std::size_t>(i)],
                      context.seed(), static_cast<std::uint32_t>(round * out.batches + i));
      totals.add(batch.nodes.size(), batch.edges(), batch.bytes());
    });
  }}};
  std::optional<PlainSampler> plain;
  Totals plain_totals;
  if (compare_plain) {
    plain.emplace(gathered, sampler, context.seed());
    contestants.push_back(
        {[&](int round) {
           for (const std::vector<std::int32_t>& seeds : rounds[static_cast<std::size_t>(round)]) {
             const PlainSample batch = plain->sample(index_tensor(seeds).to(at::kLong));
             plain_totals.add(batch.nodes.size(0), batch.rows.size(0), 0);
           }
         },
         plain->bytes(), options.plain_memory});
  }
  std::vector<Measurement> measured = measure(context, "batches", options, contestants);
  out.ours = per_piece(std::move(measured[0]), out.batches);
  // Ours are no tensors: the graph, what the threads keep, and a batch in every thread's hands.
  out.ours.peak_bytes = gathered.offsets.bytes() + gathered.columns.bytes() + ours.kept_bytes() +
                        context.threads() * totals.largest_bytes();
  out.sizes = totals.means();
  if (compare_plain) {
    out.plain = per_piece(std::move(measured[1]), out.batches);
    out.plain_sizes = plain_totals.means();
  }
  return out;
}

}  // namespace creg
