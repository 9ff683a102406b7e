#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "core/build_info.h"
#include "core/text.h"
#include "ops/runtime.h"

namespace creg::cli {
namespace {

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

void show_info(const Context& context, const GlobalOptions& options,
               const std::optional<TorchRuntime>& torch) {
  const BuildInfo build = build_info();
  const std::string& problem = options.library_problem;
  if (!problem.empty()) {
    context.log().write(LogLevel::warning, "the library that computes does not load: " + problem);
  }
  if (options.json) {
    nlohmann::ordered_json out = {{"version", build.version},
                                  {"compiler", build.compiler},
                                  {"build_type", build.build_type},
                                  {"sanitizers", build.sanitizers},
                                  {"instruction_set", build.instruction_set},
                                  {"threads", context.threads()},
                                  {"openssl", build.openssl},
                                  {"libcurl", build.curl},
                                  {"libtorch", nullptr},
                                  {"blas", nullptr},
                                  {"slow_blas", nullptr},
                                  {"cuda_built", nullptr},
                                  {"devices", nlohmann::ordered_json::array({"cpu"})}};
    if (torch) {
      out["libtorch"] = torch->version;
      out["blas"] = torch->blas;
      out["slow_blas"] = torch->slow_blas;
      out["cuda_built"] = torch->cuda_built;
      out["devices"] = torch->devices;
    }
    print_result(out.dump(2) + "\n");
    return;
  }
  std::string text;
  const auto row = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{:<18}{}\n", key, value);
  };
  row("creg", build.version);
  row("build", fmt::format("{}, {}{}", build.build_type, build.compiler,
                           build.sanitizers.empty() ? "" : ", sanitizers " + build.sanitizers));
  row("instruction set", build.instruction_set);
  row("threads", std::to_string(context.threads()));
  row("libtorch", torch             ? torch->version
                  : problem.empty() ? "left out of this build: no training"
                                    : "not loaded: no training");
  if (torch) {
    row("BLAS", torch->blas + (torch->slow_blas ? "  (slow: install libopenblas0-openmp)" : ""));
    row("CUDA in libtorch", yes_no(torch->cuda_built));
    row("devices", join_words(torch->devices));
  }
  row("downloads", build.curl ? "yes (libcurl)" : "no: built without libcurl");
  row("checksums", build.openssl ? "yes (OpenSSL)" : "no: built without OpenSSL");
  print_result(text);
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
