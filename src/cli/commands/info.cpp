#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/options/distributed_options.h"
#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "ops/runtime.h"
#include "report/report_page.h"

namespace creg::cli {
namespace {

Value text_or_nothing(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

/// A line for people: what it was built with and, card by card, what is there; or why none is.
Value cuda_words(const std::optional<TorchRuntime>& torch) {
  if (!torch) return {};
  const Gpus& gpus = torch->gpus;
  std::string words = gpus.cuda.empty() ? "no" : gpus.cuda;
  if (!gpus.problem.empty()) words += ": " + gpus.problem;
  for (std::size_t i = 0; i < gpus.found.size(); ++i) {
    const Gpu& gpu = gpus.found[i];
    words +=
        fmt::format("{} cuda:{} {}, {}, compute capability {}{}", i == 0 ? "," : ";", i, gpu.name,
                    human_bytes(gpu.memory), gpu.capability, gpu.usable ? "" : " (too old)");
  }
  return words;
}

/// What `creg data partition` can choose from.
std::string partitioners(const BuildInfo& build) {
  std::vector<std::string> names;
  if (build.metis) names.emplace_back("METIS");
  if (build.scotch) names.emplace_back("Scotch (64 bits)");
  names.emplace_back("streaming");
  return join_words(names);
}

Value gpu_records(const Gpus& gpus, const ComputingInfo& computing) {
  List list;
  for (std::size_t i = 0; i < gpus.found.size(); ++i) {
    const Gpu& gpu = gpus.found[i];
    std::optional<std::int64_t> free;
    if (gpu.usable) free = computing.free_on_gpu(static_cast<int>(i));
    list.emplace_back(Record{{"name", gpu.name},
                             {"compute_capability", gpu.capability},
                             {"memory", gpu.memory},
                             {"free_memory", free},
                             {"usable", gpu.usable}});
  }
  return list;
}

void show_info(const Context& context, const GlobalOptions& options,
               const ComputingInfo* computing) {
  const std::optional<TorchRuntime> torch =
      computing == nullptr ? std::nullopt : std::optional<TorchRuntime>(computing->runtime());
  const bool gloo = computing != nullptr && computing->communication();
  const BuildInfo build = build_info();
  const std::string& problem = options.library_problem;
  if (!problem.empty()) {
    context.log().write(LogLevel::warning, "the library that computes does not load: " + problem);
  }
  const auto of_torch = [&](auto TorchRuntime::*member) {
    return torch ? Value((*torch).*member) : Value();
  };
  const std::string no_torch =
      problem.empty() ? "left out of this build: no training" : "not loaded: no training";
  const std::vector<std::string> cpu = {"cpu"};
  Value blas;
  if (torch) {
    blas = torch->blas + (torch->slow_blas ? "  (slow: install libopenblas0-openmp)" : "");
  }
  const Report report{
      .body = {
          {"version", build.version, "creg"},
          {"sources", build.sources, "sources"},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"sanitizers", build.sanitizers},
          {.value = fmt::format("{}, {}{}", build.build_type, build.compiler,
                                build.sanitizers.empty() ? "" : ", sanitizers " + build.sanitizers),
           .label = "build"},
          {"instruction_set", build.instruction_set, "instruction set"},
          {"threads", context.threads(), "threads"},
          {"openssl", build.openssl},
          {"libcurl", build.curl},
          {"sqlite", build.sqlite},
          {"metis", build.metis},
          {"scotch", build.scotch},
          {"faiss", build.faiss},
          {"cairo", draws_pdf()},
          {"page", !page_shell().empty()},
          {"gloo", torch ? Value(gloo) : Value()},
          {"libtorch", of_torch(&TorchRuntime::version)},
          {.value = torch ? torch->version : no_torch, .label = "libtorch"},
          {"blas", of_torch(&TorchRuntime::blas)},
          {.value = blas, .label = "BLAS"},
          {"slow_blas", of_torch(&TorchRuntime::slow_blas)},
          {"cuda_built", torch ? Value(!torch->gpus.cuda.empty()) : Value()},
          {"cuda", torch ? text_or_nothing(torch->gpus.cuda) : Value()},
          {.value = cuda_words(torch), .label = "CUDA"},
          {"cuda_driver", torch ? text_or_nothing(torch->gpus.driver) : Value()},
          {"devices", torch ? torch->devices : cpu, torch ? "devices" : ""},
          {"gpus", torch ? gpu_records(torch->gpus, *computing) : Value()},
          {.value = build.curl ? "yes (libcurl)" : "no: built without libcurl",
           .label = "downloads"},
          {.value = build.openssl ? "yes (OpenSSL)" : "no: built without OpenSSL",
           .label = "checksums"},
          {.value = build.sqlite ? "yes (SQLite)" : "no: built without SQLite",
           .label = "run stores"},
          {.value = draws_pdf() ? "SVG, PDF and PNG (cairo)" : "SVG: built without cairo",
           .label = "figures"},
          {.value = partitioners(build), .label = "partitions"},
          {.value = build.faiss ? "exact, or an index (faiss)" : "exact: built without faiss",
           .label = "neighbours"},
          {.value = page_shell().empty() ? fmt::format("no: {}", why_no_page()) : "yes",
           .label = "reports"},
          {.value = !torch ? Value()
                    : gloo ? Value("several by --distributed (Gloo)")
                           : Value("one: this libtorch has no Gloo, or its headers were missing"),
           .label = "processes"},
      }};
  print_report(report, options);
}

}  // namespace

void add_info(CLI::App& app, GlobalOptions& options, const ComputingInfo* computing) {
  CLI::App* command = app.add_subcommand("info");
  const auto chosen = std::make_shared<DistributedOptions>();
  add_distributed_options(*command, *chosen);
  command->callback([&options, computing, chosen] {
    options.action = [&options, computing, chosen](const Context& context) {
      if (!chosen->distributed) {
        show_info(context, options, computing);
        return;
      }
      if (computing == nullptr) {
        fail_environment({.what = "processes are connected by libtorch, which is not there",
                          .file = "--distributed",
                          .found = options.library_problem});
      }
      computing->show_ranks(context, options, *chosen);
    };
  });
}

}  // namespace creg::cli
