#include "cli/reports/bench_report.h"

#include <fmt/format.h>

#include "core/text.h"

namespace creg::cli {
namespace {

/// A row for each way, from whole rounds.
void add_row(Table& table, const std::string& name, const Measurement& measured) {
  const Spread ms = spread_of(measured.ms);
  table.rows.push_back(
      {name, ms.median, ms.p10, ms.p90, spread_of(measured.cpu_ms).median, measured.peak_bytes});
  if (measured.device_peak_bytes) table.rows.back().emplace_back(*measured.device_peak_bytes);
}

Value device_peak(const std::optional<Measurement>& measured) {
  return measured && measured->device_peak_bytes ? Value(*measured->device_peak_bytes) : Value();
}

std::string rounds_words(const Context& context, const BenchOptions& options,
                         const std::optional<Spread>& ratio) {
  std::string text;
  if (ratio) {
    text = fmt::format("faster by {:.2f}x, from {:.2f}x at 10 % to {:.2f}x at 90 %\n",
                       ratio->median, ratio->p10, ratio->p90);
  }
  text += fmt::format("{} rounds in turns on {} threads, {} before them",
                      options.measure.repetitions, context.threads(), options.measure.warm_up);
  if (ratio) {
    text +=
        options.measure.plain_memory
            ? "\nthe baseline's tensors have libtorch's own memory, as in any program that uses "
              "it;\n--plain-memory same lends it ours, which keeps large blocks"
            : "\nboth have the memory that keeps large blocks";
  }
  return text;
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

Report bench_report(Record about, const Context& context, const BenchOptions& options,
                    const std::string& baseline_name, const Measurement& ours,
                    const std::optional<Measurement>& baseline) {
  Table table{.columns = {{"way", "way"},
                          {"ms", "median", Unit::milliseconds},
                          {"ms_p10", "10 %", Unit::milliseconds},
                          {"ms_p90", "90 %", Unit::milliseconds},
                          {"cpu_ms", "of cores", Unit::milliseconds},
                          {"peak_bytes", "peak memory", Unit::bytes}}};
  if (ours.device_peak_bytes) {
    table.columns.push_back({"device_peak_bytes", "on the card", Unit::bytes});
  }
  add_row(table, "creg", ours);
  if (baseline) add_row(table, baseline_name, *baseline);
  const Spread ms = spread_of(ours.ms);
  std::optional<Spread> other;
  std::optional<Spread> ratio;
  if (baseline) {
    other = spread_of(baseline->ms);
    ratio = speedup(ours, *baseline);
  }
  const auto of = [](const std::optional<Spread>& spread, double Spread::*figure) {
    return spread ? Value((*spread).*figure) : Value();
  };
  append(about,
         {{"threads", context.threads()},
          {"device", context.device().name()},
          {"precision", name_of(context.precision())},
          {"repetitions", options.measure.repetitions},
          {"warm_up", options.measure.warm_up},
          {"ms", ms.median},
          {"ms_p10", ms.p10},
          {"ms_p90", ms.p90},
          {"baseline", baseline ? Value(options.compare) : Value()},
          {"baseline_ms", of(other, &Spread::median)},
          {"baseline_ms_p10", of(other, &Spread::p10)},
          {"baseline_ms_p90", of(other, &Spread::p90)},
          {"speedup", of(ratio, &Spread::median)},
          {"speedup_p10", of(ratio, &Spread::p10)},
          {"speedup_p90", of(ratio, &Spread::p90)},
          {"peak_bytes", ours.peak_bytes},
          {"baseline_peak_bytes", baseline ? Value(baseline->peak_bytes) : Value()},
          {"device_peak_bytes", device_peak(ours)},
          {"baseline_device_peak_bytes", device_peak(baseline)},
          {"cpu_ms", spread_of(ours.cpu_ms).median},
          {"baseline_cpu_ms", baseline ? Value(spread_of(baseline->cpu_ms).median) : Value()},
          {"baseline_memory", baseline ? Value(options.plain_memory) : Value()},
          {.value = table},
          words(rounds_words(context, options, ratio))});
  return {.body = std::move(about), .table = std::move(table)};
}

}  // namespace creg::cli
