// The commands: each is a file of its own, declared here, named with its line in command_table.cpp,
// and listed in commands.cpp (what needs no libtorch) or computing_commands.cpp.
#pragma once

#include <span>

#include "cli/command_line.h"
#include "cli/run.h"

namespace creg {
struct TorchRuntime;
}

namespace creg::cli {

/// Those that need no libtorch.
std::span<const OwnCommand> plain_commands();

void add_train(CLI::App& app, GlobalOptions& options);
void add_embed(CLI::App& app, GlobalOptions& options);
void add_pretrain(CLI::App& app, GlobalOptions& options);
void add_finetune(CLI::App& app, GlobalOptions& options);
void add_sweep(CLI::App& app, GlobalOptions& options);
void add_calibrate(CLI::App& app, GlobalOptions& options);
void add_demo(CLI::App& app, GlobalOptions& options);
void add_data(CLI::App& app, GlobalOptions& options);
void add_history(CLI::App& app, GlobalOptions& options);
/// `runtime` tells about libtorch; nullptr where this program is not linked with it.
void add_info(CLI::App& app, GlobalOptions& options, TorchRuntime (*runtime)());

// Below `creg bench`.
void add_bench_epoch(CLI::App& bench, GlobalOptions& options);
void add_bench_infonce(CLI::App& bench, GlobalOptions& options);
void add_bench_sample(CLI::App& bench, GlobalOptions& options);
void add_bench_select(CLI::App& bench, GlobalOptions& options);
void add_bench_spmm(CLI::App& bench, GlobalOptions& options);

// Below `creg data`.
void add_data_convert(CLI::App& data, GlobalOptions& options);
void add_data_get(CLI::App& data, GlobalOptions& options);
void add_data_info(CLI::App& data, GlobalOptions& options);
void add_data_list(CLI::App& data, GlobalOptions& options);
void add_data_split(CLI::App& data, GlobalOptions& options);

// Below `creg eval`.
void add_eval_classify(CLI::App& eval, GlobalOptions& options);
void add_eval_cluster(CLI::App& eval, GlobalOptions& options);
void add_eval_link(CLI::App& eval, GlobalOptions& options);

}  // namespace creg::cli
