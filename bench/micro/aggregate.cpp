// The sparse product in its two uses, against plain libtorch.
//   propagate…  Â·H, 512 wide, on synthetic:cora (argument 0) and synthetic:pubmed (1): the forward
//               pass alone, then with the backward pass; then with bias and PReLU, fused or apart.
//   features…   X·W for X of 8192 x 768 and W of 768 x 512, sparse or dense. Arguments: percent of
//   X
//               that is filled, threads. Where the two meet is `dense_above` of
//               creg/nn/inputs.h.
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <array>

#include "creg/core/context.h"
#include "creg/core/random.h"
#include "creg/ops/aggregate.h"
#include "graph/build.h"
#include "graph/generators.h"
#include "graph/normalise.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "ops/tensors.h"

namespace {

constexpr std::int64_t width = 512;

/// As a run has it: `threads` threads and the memory of training.
creg::Context prepared(int threads = 0) {
  creg::Context context(creg::Context::Options{.threads = threads});
  creg::prepare_torch(context);
  creg::install_tensor_memory();
  at::manual_seed(1);
  return context;
}

/// Â, and what follows it.
struct Layer {
  creg::CsrMatrix csr;
  creg::SparseMatrix matrix;
  at::Tensor h;
  at::Tensor bias;
  at::Tensor slope;

  explicit Layer(const benchmark::State& state) {
    constexpr std::array<const char*, 2> names = {"synthetic:cora", "synthetic:pubmed"};
    const creg::Context context = prepared();
    const creg::Graph graph = creg::generate(
        context, creg::parse_synthetic(names.at(static_cast<std::size_t>(state.range(0)))));
    csr = creg::gcn_normalised(context, graph.adjacency);
    matrix = creg::SparseMatrix(context, csr, creg::SparseMatrix::Shape::symmetric);
    h = at::randn({graph.nodes(), width}).set_requires_grad(true);
    bias = at::randn({width}).mul(0.1).set_requires_grad(true);
    slope = at::full({width}, 0.25F).set_requires_grad(true);
  }
  void forget_gradients() {
    for (at::Tensor* input : {&h, &bias, &slope}) input->mutable_grad().reset();
  }
};

void propagate_forward(benchmark::State& state) {
  const Layer layer(state);
  const at::NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(creg::aggregate(layer.matrix, layer.h));
}

void propagate_forward_plain(benchmark::State& state) {
  const Layer layer(state);
  const at::NoGradGuard no_grad;
  const at::Tensor matrix = creg::as_sparse_csr(layer.csr);
  for (auto _ : state) benchmark::DoNotOptimize(at::matmul(matrix, layer.h));
}

void propagate(benchmark::State& state) {
  Layer layer(state);
  const at::Tensor gradient = at::randn_like(layer.h.detach());
  for (auto _ : state) {
    layer.forget_gradients();
    creg::aggregate(layer.matrix, layer.h).backward(gradient);
  }
}

/// One row gathered per edge, which autograd can follow.
void propagate_plain(benchmark::State& state) {
  Layer layer(state);
  const at::Tensor gradient = at::randn_like(layer.h.detach());
  const std::int64_t nodes = layer.csr.rows;
  const at::Tensor source = creg::as_tensor(layer.csr.columns).to(at::kLong);
  const at::Tensor target = at::repeat_interleave(at::arange(nodes, at::kLong),
                                                  creg::as_tensor(layer.csr.offsets).diff());
  const at::Tensor weights = creg::as_tensor(layer.csr.values).unsqueeze(1);
  for (auto _ : state) {
    layer.forget_gradients();
    at::zeros({nodes, width})
        .index_add(0, target, layer.h.index_select(0, source) * weights)
        .backward(gradient);
  }
}

void propagate_prelu_fused(benchmark::State& state) {
  Layer layer(state);
  const at::Tensor gradient = at::randn_like(layer.h.detach());
  for (auto _ : state) {
    layer.forget_gradients();
    creg::aggregate(layer.matrix, layer.h, {layer.bias, layer.slope}).backward(gradient);
  }
}

void propagate_prelu_apart(benchmark::State& state) {
  Layer layer(state);
  const at::Tensor gradient = at::randn_like(layer.h.detach());
  for (auto _ : state) {
    layer.forget_gradients();
    at::prelu(at::add(creg::aggregate(layer.matrix, layer.h), layer.bias), layer.slope)
        .backward(gradient);
  }
}

/// X with the given share of its cells filled at random, both ways.
struct FilledFeatures {
  static constexpr std::int64_t rows = 8192;
  static constexpr std::int64_t cols = 768;
  creg::SparseMatrix sparse;
  at::Tensor dense = at::zeros({rows, cols});
  at::Tensor weights;
  at::Tensor gradient;

  explicit FilledFeatures(const benchmark::State& state) {
    const creg::Context context = prepared(static_cast<int>(state.range(1)));
    const double share = static_cast<double>(state.range(0)) / 100;
    creg::RandomStream stream(1, creg::Purpose::test);
    std::vector<std::int32_t> filled_rows;
    std::vector<std::int32_t> filled_cols;
    std::vector<float> values;
    float* const cells = dense.data_ptr<float>();
    for (std::int64_t cell = 0; cell < rows * cols; ++cell) {
      if (stream.uniform() >= share) continue;
      filled_rows.push_back(static_cast<std::int32_t>(cell / cols));
      filled_cols.push_back(static_cast<std::int32_t>(cell % cols));
      values.push_back(static_cast<float>(stream.uniform()));
      cells[cell] = values.back();
    }
    sparse = creg::SparseMatrix(
        context, creg::csr_from_entries(context, rows, cols, filled_rows, filled_cols, values));
    weights = at::randn({cols, width}).set_requires_grad(true);
    gradient = at::randn({rows, width});
  }
};

void features_forward_sparse(benchmark::State& state) {
  const FilledFeatures x(state);
  const at::NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(creg::aggregate(x.sparse, x.weights));
}

void features_forward_dense(benchmark::State& state) {
  const FilledFeatures x(state);
  const at::NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(at::mm(x.dense, x.weights));
}

void features_sparse(benchmark::State& state) {
  FilledFeatures x(state);
  for (auto _ : state) {
    x.weights.mutable_grad().reset();
    creg::aggregate(x.sparse, x.weights).backward(x.gradient);
  }
}

void features_dense(benchmark::State& state) {
  FilledFeatures x(state);
  for (auto _ : state) {
    x.weights.mutable_grad().reset();
    at::mm(x.dense, x.weights).backward(x.gradient);
  }
}

/// The time on the clock decides; that of all threads together tells when something else ran too.
void clock(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}
void graphs(benchmark::internal::Benchmark* benchmark) {
  clock(benchmark->Arg(0)->Arg(1));
}
void densities(benchmark::internal::Benchmark* benchmark) {
  clock(benchmark->ArgsProduct({{1, 10, 25, 35, 50, 60}, {1, 2}}));
}
/// A dense product takes the same time however full the matrix.
void threads(benchmark::internal::Benchmark* benchmark) {
  clock(benchmark->ArgsProduct({{50}, {1, 2}}));
}

BENCHMARK(propagate_forward)->Apply(graphs);
BENCHMARK(propagate_forward_plain)->Apply(graphs);
BENCHMARK(propagate)->Apply(graphs);
BENCHMARK(propagate_plain)->Apply(graphs);
BENCHMARK(propagate_prelu_fused)->Apply(graphs);
BENCHMARK(propagate_prelu_apart)->Apply(graphs);
BENCHMARK(features_forward_sparse)->Apply(densities);
BENCHMARK(features_forward_dense)->Apply(threads);
BENCHMARK(features_sparse)->Apply(densities);
BENCHMARK(features_dense)->Apply(threads);

}  // namespace

BENCHMARK_MAIN();
