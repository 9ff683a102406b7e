// What all benchmarks share on the command line: their flags, and how times are shown.
#pragma once

#include <nlohmann/json.hpp>
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

/// The keys that every benchmark's JSON has; those of the baseline are null without one.
void add_times(nlohmann::ordered_json& out, const Context& context, const BenchOptions& options,
               const Measurement& ours, const std::optional<Measurement>& baseline);

/// A row per way: median, spread, memory; then the speedup.
std::string times_table(const Context& context, const BenchOptions& options,
                        const std::string& baseline_name, const Measurement& ours,
                        const std::optional<Measurement>& baseline);

nlohmann::ordered_json number_or_null(const std::optional<double>& value);

}  // namespace creg::cli
