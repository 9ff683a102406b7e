// The streamed pass over all pairs against the same answers from the materialised matrix in plain
// libtorch: top-5 by cosine and row entropies. Arguments: nodes, width. Also the draw of a positive
// among graph neighbours that every epoch makes.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include "creg/core/context.h"
#include "graph/generators.h"
#include "ops/csr.h"
#include "ops/runtime.h"
#include "ops/similarity.h"
#include "ops/tensor_memory.h"

namespace {

constexpr std::int64_t k = 5;

/// What an encoder gives: mostly positive, some rows alike.
at::Tensor embeddings(std::int64_t nodes, std::int64_t width) {
  at::manual_seed(1);
  const at::Tensor centres = at::randn({64, width});
  const at::Tensor noise = at::randn({nodes, width});
  return at::leaky_relu(centres.index_select(0, at::randint(64, {nodes}, at::kLong)) + noise, 0.25);
}

/// Reports the most that tensors held at a time, beyond what they held at the start.
class PeakMemory {
 public:
  explicit PeakMemory(benchmark::State& state)
      : state_(state), before_(creg::tensor_memory().live_bytes) {
    creg::release_kept_tensor_memory();
    creg::reset_peak_tensor_memory();
  }
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;
  ~PeakMemory() {
    const std::int64_t more = creg::tensor_memory().peak_bytes - before_;
    state_.counters["MB"] = static_cast<double>(more) / 1e6;
  }

 private:
  benchmark::State& state_;
  std::int64_t before_;
};

const creg::Context& context() {
  static const creg::Context instance = [] {
    creg::Context made;
    creg::prepare_torch(made);
    creg::install_tensor_memory();
    return made;
  }();
  return instance;
}

void run(benchmark::State& state, const creg::SimilarityRequest& request) {
  const creg::Context& ready = context();
  const at::Tensor h = embeddings(state.range(0), state.range(1));
  const PeakMemory peak(state);
  for (auto _ : state) benchmark::DoNotOptimize(creg::similarity_pass(ready, h, request));
}

void both(benchmark::State& state) {
  run(state, {.k = k, .entropies = true});
}
void top_k(benchmark::State& state) {
  run(state, {.k = k});
}
void entropies(benchmark::State& state) {
  run(state, {.entropies = true});
}

void materialised(benchmark::State& state) {
  context();
  const at::NoGradGuard no_grad;
  const at::Tensor h = embeddings(state.range(0), state.range(1));
  const PeakMemory peak(state);
  for (auto _ : state) {
    const at::Tensor unit = h / h.norm(2, {1}, true).clamp_min(1e-12);
    at::Tensor p = at::mm(unit, unit.t());
    p = p / p.abs().sum(1, true);
    auto best = p.topk(k, 1);
    p = p.clamp_min(0);
    p = p / p.sum(1, true);
    benchmark::DoNotOptimize(-(p * (p + 1e-15).log()).sum(1));
    benchmark::DoNotOptimize(best);
  }
}

/// Half of the products alone: what the streamed pass cannot go below.
void product_floor(benchmark::State& state) {
  context();
  const at::NoGradGuard no_grad;
  const at::Tensor h = embeddings(state.range(0), state.range(1));
  const std::int64_t block = 512;
  const std::int64_t workers = at::get_num_threads();
  state.counters["threads"] = static_cast<double>(workers);
  for (auto _ : state) {
    at::parallel_for(0, workers, 1, [&](std::int64_t worker, std::int64_t) {
      at::Tensor out = at::empty({block, block});
      const std::int64_t blocks = h.size(0) / block;
      for (std::int64_t i = worker; i < blocks * blocks / 2; i += workers) {
        at::mm_out(out, h.narrow(0, i % blocks * block, block),
                   h.narrow(0, i / blocks * block, block).t());
      }
    });
  }
}

void draw_neighbours(benchmark::State& state) {
  const creg::Context& ready = context();
  const creg::Graph graph = creg::generate(ready, creg::parse_synthetic("synthetic:pubmed"));
  const creg::CsrTensors adjacency = creg::csr_tensors(ready, graph.adjacency);
  const at::Tensor h = embeddings(graph.nodes(), 512);
  std::uint32_t epoch = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        creg::draw_top_neighbour(ready, h, adjacency, k, creg::Similarity::dot, 1, epoch++));
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({2708, 512})->Args({19717, 512})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(both)->Apply(sizes);
BENCHMARK(top_k)->Apply(sizes);
BENCHMARK(entropies)->Apply(sizes);
BENCHMARK(draw_neighbours)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product_floor)->Apply(sizes);
BENCHMARK(materialised)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
