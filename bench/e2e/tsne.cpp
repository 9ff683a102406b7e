// The map of a report at its largest: t-SNE of rows around random centres, as an embedding has its
// classes.
//   bench_tsne [ROWS COLS THREADS]
#include "learn/tsne.h"

#include <fmt/format.h>

#include <string>

#include "creg/core/random.h"
#include "measure.h"

namespace {

using namespace creg;

DenseMatrix rows_around_centres(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t classes = 40;
  RandomStream stream(0, Purpose::test);
  std::vector<float> centres(static_cast<std::size_t>(classes * cols));
  for (float& value : centres) value = static_cast<float>(stream.normal());
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < cols; ++k) {
      values[static_cast<std::size_t>(i * cols + k)] =
          centres[static_cast<std::size_t>(i % classes * cols + k)] +
          static_cast<float>(0.5 * stream.normal());
    }
  }
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::stoll(argv[1]) : 100'000;
  const std::int64_t cols = argc > 2 ? std::stoll(argv[2]) : 128;
  const int threads = argc > 3 ? std::stoi(argv[3]) : 2;
  const DenseMatrix values = rows_around_centres(rows, cols);
  const Context context({.threads = threads});
  const double before = processor_seconds();
  const double seconds = bench::seconds_of([&] { tsne(context, values, learn::symmetric_eigen); });
  fmt::print("{}x{}: {:.1f} s by {} threads, {:.1f} s of processors, at most {:.2f} GiB\n", rows,
             cols, seconds, threads, processor_seconds() - before, bench::peak_gib());
}
