#include "cli/command_line.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>

#include "core/console.h"
#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"

namespace creg::cli {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> stop_requested{
    false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void on_interrupt(int /*signal*/) {
  if (stop_requested.exchange(true)) _exit(exit_interrupted);
}

/// A minus would count backwards from 2^64.
std::string not_negative(const std::string& text) {
  return text.starts_with('-') ? "a whole number from 0 on, not " + text : "";
}

}  // namespace

void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_flag("--json", options.json, "Print one JSON object: the same as --format json");
  app.add_option("--format", options.format,
                 "How to print results: for people, one JSON object, Markdown, or a table as CSV")
      ->type_name("text|json|md|csv|latex");
  app.add_flag("--quiet,-q", options.quiet, "No progress and no notes, only warnings and errors");
  app.add_option("--seed", options.seed, "Seed of every random draw")
      ->type_name("S")
      ->check(not_negative)
      ->capture_default_str();
  app.add_option("--data-dir", options.data_dir,
                 "Folder of the datasets; default $CREG_DATA, else the user's cache folder")
      ->type_name("DIR");
  app.add_option("--progress", options.progress, "How to show progress on standard error")
      ->type_name("auto|bar|lines|json|none")
      ->capture_default_str();
  app.add_option("--log-file", options.log_file, "Also append all messages to this file")
      ->type_name("FILE");
  app.add_option("--threads", options.threads, "Threads; 0 takes all cores")
      ->type_name("T")
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "Where to compute; auto takes a GPU where there is one")
      ->type_name("auto|cpu|cuda[:i]")
      ->capture_default_str();
  app.add_option("--precision", options.precision,
                 "How exact products of matrices are on a GPU; sums are float32 always")
      ->type_name("fp32|tf32|bf16")
      ->capture_default_str();
}

namespace {

Precision chosen_precision(const std::string& name, const Device& device) {
  const std::optional<Precision> precision = from_name<Precision>(name);
  if (!precision) {
    fail_input({.what = "unknown precision",
                .file = "--precision",
                .found = in_quotes(name),
                .expected = join_words(names_of<Precision>(), " or ")});
  }
  if (*precision != Precision::fp32 && device.type == DeviceType::cpu) {
    fail_input({.what = "this precision is for GPUs",
                .file = "--precision",
                .found = name + " on the CPU",
                .expected = "fp32, or --device cuda"});
  }
  return *precision;
}

}  // namespace

Context make_context(const GlobalOptions& options, Device (*best_device)()) {
  const bool choose = options.device == "auto";
  Device device = choose ? Device{} : Device::parse(options.device);
  const ProgressMode progress = parse_progress_mode(options.progress);
  const auto console = make_console({.progress = options.quiet ? ProgressMode::none : progress,
                                     .level = options.quiet ? LogLevel::warning : LogLevel::info,
                                     .log_file = options.log_file});
  // The flag outlives every Context: shared without owning it.
  const std::shared_ptr<const std::atomic<bool>> stop(std::shared_ptr<void>(), &stop_requested);
  if (choose && best_device != nullptr) {
    device = best_device();
    if (device.type != DeviceType::cpu) {
      console->write(LogLevel::info,
                     "computing on " + device.name() + "; --device cpu computes on the CPU");
    }
  }
  return Context({.device = device,
                  .precision = chosen_precision(options.precision, device),
                  .threads = options.threads,
                  .seed = options.seed,
                  .log = console,
                  .progress = console,
                  .stop = stop});
}

ReportFormat report_format(const GlobalOptions& options) {
  if (options.format.empty()) return options.json ? ReportFormat::json : ReportFormat::text;
  const std::optional<ReportFormat> format = from_name<ReportFormat>(options.format);
  if (!format) {
    fail_input({.what = "unknown format of results",
                .file = "--format",
                .found = in_quotes(options.format),
                .expected = join_words(names_of<ReportFormat>(), " or ")});
  }
  if (options.json && *format != ReportFormat::json) {
    fail_input({.what = "--json and --format ask for different things",
                .file = "--format",
                .found = in_quotes(options.format),
                .expected = "json, or no --json"});
  }
  return *format;
}

void print_report(const Report& report, const GlobalOptions& options) {
  print_result(write_report(report, report_format(options)));
}

void print_result(std::string_view result) {
  // Files and pipes get the bytes; a terminal would obey some of them.
  const std::string text = ::isatty(STDOUT_FILENO) != 0 ? printable(result) : std::string(result);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail_errno(errno, "cannot write the result", "standard output");
  }
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal is gone; whoever uses nohup wants to go on.
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A write beyond a file-size limit is then an error of the write, reported as any other.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace creg::cli
