#include <fmt/format.h>

#include <optional>

#include "cli/commands.h"
#include "core/build_info.h"
#include "core/text.h"
#include "ops/runtime.h"

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

Value gpu_records(const Gpus& gpus) {
  List list;
  for (const Gpu& gpu : gpus.found) {
    list.emplace_back(Record{{"name", gpu.name},
                             {"compute_capability", gpu.capability},
                             {"memory", gpu.memory},
                             {"free_memory", gpu.free_memory},
                             {"usable", gpu.usable}});
  }
  return list;
}

void show_info(const Context& context, const GlobalOptions& options,
               const std::optional<TorchRuntime>& torch) {
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
          {"gpus", torch ? gpu_records(torch->gpus) : Value()},
          {.value = build.curl ? "yes (libcurl)" : "no: built without libcurl",
           .label = "downloads"},
          {.value = build.openssl ? "yes (OpenSSL)" : "no: built without OpenSSL",
           .label = "checksums"},
      }};
  print_report(report, options);
}

}  // namespace

void add_info(CLI::App& app, GlobalOptions& options, TorchRuntime (*runtime)()) {
  app.add_subcommand("info")->callback([&options, runtime] {
    options.action = [&options, runtime](const Context& context) {
      show_info(context, options,
                runtime == nullptr ? std::nullopt : std::optional<TorchRuntime>(runtime()));
    };
  });
}

}  // namespace creg::cli
