// What all benchmarks share on the command line: their flags, and how times are shown.
#pragma once

#include <optional>
#include <string>

#include "bench/measure.h"
#include "cli/command_line.h"

namespace creg::cli {

struct BenchOptions {
  std::string compare;                    ///< "plain", or empty
  std::string plain_memory = "libtorch";  ///< or "same"
  MeasureOptions measure;

  bool plain() const { return compare == "plain"; }
};

/// --compare, --repetitions and --warm-up, with the defaults in `options`.
void add_bench_options(CLI::App& command, BenchOptions& options);

/// What every benchmark reports behind its own `about`: the keys of times, those of the baseline
/// null without one, and a row per way for people and CSV.
Report bench_report(Record about, const Context& context, const BenchOptions& options,
                    const std::string& baseline_name, const Measurement& ours,
                    const std::optional<Measurement>& baseline);

}  // namespace creg::cli
