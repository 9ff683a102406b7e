// The commands: each is a file of its own, declared here, named with its line in command_table.cpp,
// and listed in commands.cpp (what needs no libtorch) or computing_commands.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/run.h"

namespace creg {
struct TorchRuntime;
}

namespace creg::cli {

struct DistributedOptions;

/// Those that need no libtorch.
std::span<const OwnCommand> plain_commands();

void add_train(CLI::App& app, GlobalOptions& options);
void add_embed(CLI::App& app, GlobalOptions& options);
void add_pretrain(CLI::App& app, GlobalOptions& options);
void add_finetune(CLI::App& app, GlobalOptions& options);
void add_report(CLI::App& app, GlobalOptions& options);
void add_reproduce(CLI::App& app, GlobalOptions& options);
void add_sweep(CLI::App& app, GlobalOptions& options);
void add_calibrate(CLI::App& app, GlobalOptions& options);
void add_neighbors(CLI::App& app, GlobalOptions& options);
void add_demo(CLI::App& app, GlobalOptions& options);
void add_data(CLI::App& app, GlobalOptions& options);
void add_history(CLI::App& app, GlobalOptions& options);
void add_init(CLI::App& app, GlobalOptions& options);
/// `recipes` lists the shipped ones as METHOD/DATASET.
void add_completion(CLI::App& app, GlobalOptions& options, std::vector<std::string> (*recipes)());
void add_manual(CLI::App& app, GlobalOptions& options, std::vector<std::string> (*recipes)());
/// What `creg info` asks of the half that computes.
struct ComputingInfo {
  TorchRuntime (*runtime)();
  std::optional<std::int64_t> (*free_on_gpu)(int index);
  bool (*communication)();
  void (*show_ranks)(const Context& context, const GlobalOptions& globals,
                     const DistributedOptions& chosen);
};
/// Without `computing` this program is not linked with libtorch. It outlives the options.
void add_info(CLI::App& app, GlobalOptions& options, const ComputingInfo* computing);

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
void add_data_partition(CLI::App& data, GlobalOptions& options);
void add_data_split(CLI::App& data, GlobalOptions& options);

// Below `creg eval`.
void add_eval_classify(CLI::App& eval, GlobalOptions& options);
void add_eval_cluster(CLI::App& eval, GlobalOptions& options);
void add_eval_link(CLI::App& eval, GlobalOptions& options);

}  // namespace creg::cli
