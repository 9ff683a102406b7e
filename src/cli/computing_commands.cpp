#include <unistd.h>

#include <array>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/commands/info_distributed.h"
#include "cli/computing.h"
#include "ops/runtime.h"
#include "train/recipes.h"

namespace creg::cli {
namespace {

// OpenBLAS chooses its kernels while the process is loaded, so better ones need a new start. Where
// that fails the work is done all the same, with a warning.
void start_anew_for_better_kernels(const char* const* argv) {
  const std::string kernels = missed_blas_kernels();
  if (kernels.empty() || setenv("OPENBLAS_CORETYPE", kernels.c_str(), 1) != 0) return;
  execv("/proc/self/exe", const_cast<char* const*>(argv));
  unsetenv("OPENBLAS_CORETYPE");
}

void add_info_of_torch(CLI::App& app, GlobalOptions& options) {
  static constexpr ComputingInfo computing{.runtime = torch_runtime,
                                           .free_on_gpu = free_on_gpu,
                                           .communication = has_communication,
                                           .show_ranks = show_ranks};
  add_info(app, options, &computing);
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : shipped_recipes()) {
    names.push_back(recipe.path.substr(0, recipe.path.rfind('.')));
  }
  return names;
}

void add_whole_completion(CLI::App& app, GlobalOptions& options) {
  add_completion(app, options, recipe_names);
}

void add_whole_manual(CLI::App& app, GlobalOptions& options) {
  add_manual(app, options, recipe_names);
}

void add_bench(CLI::App& app, GlobalOptions& options) {
  CLI::App* bench = app.add_subcommand("bench");
  bench->require_subcommand(1);
  bench->fallthrough();
  add_bench_epoch(*bench, options);
  add_bench_infonce(*bench, options);
  add_bench_sample(*bench, options);
  add_bench_select(*bench, options);
  add_bench_spmm(*bench, options);
}

void add_eval(CLI::App& app, GlobalOptions& options) {
  CLI::App* eval = app.add_subcommand("eval");
  eval->require_subcommand(1);
  eval->fallthrough();
  add_eval_classify(*eval, options);
  add_eval_cluster(*eval, options);
  add_eval_link(*eval, options);
}

constexpr std::array all_commands = {
    OwnCommand{"bench", add_bench},
    OwnCommand{"calibrate", add_calibrate},
    OwnCommand{"completion", add_whole_completion},
    OwnCommand{"manual", add_whole_manual},
    OwnCommand{"data", add_data},
    OwnCommand{"demo", add_demo},
    OwnCommand{"embed", add_embed},
    OwnCommand{"eval", add_eval},
    OwnCommand{"finetune", add_finetune},
    OwnCommand{"history", add_history},
    OwnCommand{"info", add_info_of_torch},
    OwnCommand{"init", add_init},
    OwnCommand{"neighbors", add_neighbors},
    OwnCommand{"pretrain", add_pretrain},
    OwnCommand{"report", add_report},
    OwnCommand{"reproduce", add_reproduce},
    OwnCommand{"sweep", add_sweep},
    OwnCommand{"train", add_train},
};

}  // namespace
}  // namespace creg::cli

int creg_run(int argc, const char* const* argv) noexcept {
  using namespace creg::cli;
  return run(argc, argv,
             {.commands = all_commands,
              .before_work = start_anew_for_better_kernels,
              .best_device = creg::best_device});
}
