// Logistic regression on embeddings as node classification meets them: a small training part many
// times, and a large one once. With a folder as argument it also writes the data there, for
// bench/peers/logistic_regression.py.
#include "learn/logistic_regression.h"

#include <fmt/format.h>

#include <numeric>

#include "creg/core/random.h"
#include "io/npy.h"
#include "measure.h"

namespace {

using namespace creg;

struct Problem {
  DenseMatrix values;
  std::vector<std::int32_t> labels;
};

// Classes around random centres, with more noise than distance.
Problem make_problem(std::int64_t rows, std::int64_t cols, std::int32_t classes) {
  RandomStream stream(0, Purpose::test);
  std::vector<float> centres(static_cast<std::size_t>(classes * cols));
  for (float& value : centres) value = static_cast<float>(0.25 * stream.normal());
  Problem problem;
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::int32_t>(i % classes);
    problem.labels.push_back(label);
    for (std::int64_t k = 0; k < cols; ++k) {
      values[static_cast<std::size_t>(i * cols + k)] =
          centres[static_cast<std::size_t>(label * cols + k)] + static_cast<float>(stream.normal());
    }
  }
  problem.values = {.rows = rows, .cols = cols, .values = std::move(values)};
  return problem;
}

void measure(const std::string& folder, std::int64_t rows, std::int64_t cols, std::int32_t classes,
             int repetitions) {
  const Problem problem = make_problem(rows, cols, classes);
  const std::string name = fmt::format("{}x{}x{}", rows, cols, classes);
  if (!folder.empty()) {
    write_npy(folder + "/" + name + ".npy", problem.values);
    write_npy(folder + "/" + name + "-labels.npy", std::span<const std::int32_t>(problem.labels));
  }
  std::vector<std::int32_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  const LabelledRows data{.values = problem.values, .rows = all, .labels = problem.labels};
  for (const int threads : {1, 2}) {
    const Context context({.threads = threads});
    LogisticFit fit;
    const double seconds = bench::median_seconds_of(
        repetitions, [&] { fit = fit_logistic_regression(context, data); });
    fmt::print("{}: {} threads {:.4f} s, {} iterations, {} evaluations, training accuracy {:.4f}\n",
               name, threads, seconds, fit.result.iterations, fit.result.evaluations,
               accuracy(context, fit.model, data));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "";
  measure(folder, 140, 512, 7, 15);
  measure(folder, 90000, 512, 40, 1);
}
