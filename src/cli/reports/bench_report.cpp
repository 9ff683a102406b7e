#include "cli/reports/bench_report.h"

#include <fmt/format.h>

#include "core/text.h"

namespace creg::cli {
namespace {

nlohmann::ordered_json times_or_null(const std::optional<Measurement>& measured,
                                     double Spread::*figure) {
  if (!measured) return nullptr;
  return spread_of(measured->ms).*figure;
}

std::string table_row(const std::string& name, const Measurement& measured) {
  const Spread ms = spread_of(measured.ms);
  return fmt::format("{:<22}{:>12}{:>12}{:>12}{:>12}{:>14}\n", name, human_seconds(ms.median / 1e3),
                     human_seconds(ms.p10 / 1e3), human_seconds(ms.p90 / 1e3),
                     human_seconds(spread_of(measured.cpu_ms).median / 1e3),
                     human_bytes(measured.peak_bytes));
}

}  // namespace

void add_bench_options(CLI::App& command, BenchOptions& options) {
  command
      .add_option("--compare", options.compare,
                  "Also time a baseline, in turns with ours: plain, the same in plain libtorch")
      ->type_name("plain")
      ->check(CLI::IsMember({"plain"}));
  command
      .add_option_function<std::string>(
          "--plain-memory",
          [&options](const std::string& name) {
            options.plain_memory = name;
            options.measure.plain_memory = name == "libtorch";
          },
          "Where the baseline's tensors live: as libtorch itself takes them, or in the same memory "
          "as ours, which keeps large blocks for the next tensor [libtorch]")
      ->type_name("libtorch|same")
      ->check(CLI::IsMember({"same", "libtorch"}));
  command.add_option("--repetitions", options.measure.repetitions, "Rounds that count")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--warm-up", options.measure.warm_up, "Rounds before them")
      ->type_name("N")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

void add_times(nlohmann::ordered_json& out, const Context& context, const BenchOptions& options,
               const Measurement& ours, const std::optional<Measurement>& baseline) {
  const Spread ms = spread_of(ours.ms);
  std::optional<Spread> ratio;
  if (baseline) ratio = speedup(ours, *baseline);
  out["threads"] = context.threads();
  out["repetitions"] = options.measure.repetitions;
  out["warm_up"] = options.measure.warm_up;
  out["ms"] = ms.median;
  out["ms_p10"] = ms.p10;
  out["ms_p90"] = ms.p90;
  out["baseline"] = nullptr;
  if (baseline) out["baseline"] = options.compare;
  out["baseline_ms"] = times_or_null(baseline, &Spread::median);
  out["baseline_ms_p10"] = times_or_null(baseline, &Spread::p10);
  out["baseline_ms_p90"] = times_or_null(baseline, &Spread::p90);
  out["speedup"] = ratio ? number_or_null(ratio->median) : nullptr;
  out["speedup_p10"] = ratio ? number_or_null(ratio->p10) : nullptr;
  out["speedup_p90"] = ratio ? number_or_null(ratio->p90) : nullptr;
  out["peak_bytes"] = ours.peak_bytes;
  out["baseline_peak_bytes"] = nullptr;
  if (baseline) out["baseline_peak_bytes"] = baseline->peak_bytes;
  out["cpu_ms"] = spread_of(ours.cpu_ms).median;
  out["baseline_cpu_ms"] = nullptr;
  if (baseline) out["baseline_cpu_ms"] = spread_of(baseline->cpu_ms).median;
  out["baseline_memory"] = nullptr;
  if (baseline) out["baseline_memory"] = options.plain_memory;
}

std::string times_table(const Context& context, const BenchOptions& options,
                        const std::string& baseline_name, const Measurement& ours,
                        const std::optional<Measurement>& baseline) {
  std::string text = fmt::format("{:<22}{:>12}{:>12}{:>12}{:>12}{:>14}\n", "", "median", "10 %",
                                 "90 %", "of cores", "peak memory");
  text += table_row("creg", ours);
  if (baseline) {
    text += table_row(baseline_name, *baseline);
    const Spread ratio = speedup(ours, *baseline);
    text += fmt::format("{:<22}{:>11.2f}x{:>11.2f}x{:>11.2f}x\n", "faster", ratio.median, ratio.p10,
                        ratio.p90);
  }
  text += fmt::format("\n{} rounds in turns on {} threads, {} before them\n",
                      options.measure.repetitions, context.threads(), options.measure.warm_up);
  if (baseline) {
    text += options.measure.plain_memory
                ? "the baseline's tensors have libtorch's own memory, as in any program that uses "
                  "it;\n--plain-memory same lends it ours, which keeps large blocks\n"
                : "both have the memory that keeps large blocks\n";
  }
  return text;
}

}  // namespace creg::cli
