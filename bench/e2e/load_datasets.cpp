// Time from the original files to the raw graph, checksums included.
//   bench_load_datasets DATA_DIR [NAME ...]
#include <string>
#include <vector>

#include "creg/core/error.h"
#include "creg/io/dataset.h"
#include "measure.h"

int main(int argc, char** argv) {
  using namespace creg;
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_load_datasets DATA_DIR [NAME ...]\n");
    return 2;
  }
  std::vector<std::string> names(argv + 2, argv + argc);
  if (names.empty()) names = {"cora", "citeseer", "wiki", "photo", "computers", "cora-ml"};
  const Context context;
  constexpr int repetitions = 5;
  for (const std::string& name : names) {
    try {
      const double load =
          bench::median_seconds_of(repetitions, [&] { open_dataset(context, name, argv[1]); });
      fmt::print("{:<20}{:8.1f} ms\n", name, load * 1e3);
    } catch (const Error& error) {
      fmt::print("{:<20}{}\n", name, error.what());
    }
  }
}
