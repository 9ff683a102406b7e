// k-means' exact assignment by blocked products against the plain search over squared differences,
// and whole runs of Lloyd's iterations, where bounds skip most rows, against plain ones. Arguments:
// rows, columns, clusters.
#include <benchmark/benchmark.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/context.h"
#include "creg/core/random.h"
#include "learn/kmeans.h"

namespace {

using Labels = std::vector<std::int32_t>;

/// Groups that overlap, as embeddings of classes do.
struct Example {
  creg::Context context;
  creg::DenseMatrix points;
  std::vector<double> centres;

  explicit Example(const benchmark::State& state)
      : Example(state.range(0), state.range(1), state.range(2)) {}

  Example(std::int64_t rows, std::int64_t cols, std::int64_t k) {
    creg::RandomStream stream(1, creg::Purpose::bench_values);
    std::vector<double> groups(static_cast<std::size_t>(k * cols));
    for (double& value : groups) value = 0.3 * stream.normal();
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t c = 0; c < cols; ++c) {
        values.push_back(static_cast<float>(groups[static_cast<std::size_t>(i % k * cols + c)] +
                                            stream.normal()));
      }
    }
    centres.assign(values.begin(), values.begin() + k * cols);
    points = {.rows = rows, .cols = cols, .values = std::move(values)};
  }
};

Labels plain_nearest(const Example& example, const std::vector<double>& centres) {
  const creg::DenseMatrix& points = example.points;
  const std::int64_t cols = points.cols;
  Labels labels(static_cast<std::size_t>(points.rows));
  creg::parallel_for(
      example.context, 0, points.rows, 2048, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const float* const row = points.values.data() + i * cols;
          double least = std::numeric_limits<double>::infinity();
          for (std::size_t j = 0; j * static_cast<std::size_t>(cols) < centres.size(); ++j) {
            const double* const centre = centres.data() + static_cast<std::int64_t>(j) * cols;
            double distance = 0;
            for (std::int64_t c = 0; c < cols; ++c) {
              distance += (row[c] - centre[c]) * (row[c] - centre[c]);
            }
            if (distance >= least) continue;
            least = distance;
            labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(j);
          }
        }
      });
  return labels;
}

void assign(benchmark::State& state) {
  const Example example(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        creg::nearest_centres(example.context, example.points, example.centres));
  }
}

void assign_plain(benchmark::State& state) {
  const Example example(state);
  if (plain_nearest(example, example.centres) !=
      creg::nearest_centres(example.context, example.points, example.centres)) {
    state.SkipWithError("the two assignments differ");
  }
  for (auto _ : state) benchmark::DoNotOptimize(plain_nearest(example, example.centres));
}

void lloyd(benchmark::State& state) {
  const Example example(state);
  int iterations = 0;
  for (auto _ : state) {
    iterations =
        creg::kmeans_from(example.context, example.points, example.centres, {.tolerance = 0})
            .iterations;
  }
  state.counters["iterations"] = iterations;
}

void lloyd_plain(benchmark::State& state) {
  const Example example(state);
  const creg::DenseMatrix& points = example.points;
  int iterations = 0;
  for (auto _ : state) {
    std::vector<double> centres = example.centres;
    Labels labels;
    for (iterations = 0; iterations < 300; ++iterations) {
      Labels next = plain_nearest(example, centres);
      const bool settled = next == labels;
      labels = std::move(next);
      if (settled) break;
      std::vector<double> counts(static_cast<std::size_t>(state.range(2)));
      centres.assign(centres.size(), 0.0);
      for (std::int64_t i = 0; i < points.rows; ++i) {
        const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
        ++counts[label];
        double* const sum = centres.data() + static_cast<std::int64_t>(label) * points.cols;
        const float* const row = points.values.data() + i * points.cols;
        for (std::int64_t c = 0; c < points.cols; ++c) sum[c] += row[c];
      }
      for (std::size_t c = 0; c < centres.size(); ++c) {
        centres[c] /= counts[c / static_cast<std::size_t>(points.cols)];
      }
    }
    benchmark::DoNotOptimize(labels);
  }
  state.counters["iterations"] = iterations + 1;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({2708, 512, 7})->Args({2405, 512, 17})->Args({20000, 128, 40});
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(assign)->Apply(sizes);
BENCHMARK(assign_plain)->Apply(sizes);
BENCHMARK(lloyd)->Apply(sizes);
BENCHMARK(lloyd_plain)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
