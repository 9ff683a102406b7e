#include <fmt/format.h>

#include <memory>

#include "bench/epoch.h"
#include "cli/commands.h"
#include "cli/options/short_help.h"
#include "cli/options/train_options.h"
#include "cli/reports/bench_report.h"
#include "core/text.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

struct EpochOptions {
  RunSpec run;
  BenchOptions bench;
};

constexpr auto pairs_rule =
    "both train on the same pairs and draws with all nodes as seeds; each finds LC's positives in "
    "its own way";

std::string regularisers(const TrainConfig& config) {
  std::string names;
  const auto add = [&](bool there, std::string_view name) {
    if (!there) return;
    names += (names.empty() ? "" : ",") + std::string(name);
  };
  add(config.regulariser.contrast, "contrast");
  add(config.regulariser.l2norm, "l2norm");
  add(effective_weight_decay(config) > 0, "weight-decay");
  return names.empty() ? "none" : names;
}

void bench_epoch_command(const Context& context, const EpochOptions& options,
                         const GlobalOptions& globals) {
  const RunPlan run = plan_chosen(context, options.run, globals);
  const TrainConfig& config = run.config;
  const EpochBench result =
      bench_epoch(context, run.graph, config, options.bench.measure, options.bench.plain());
  std::optional<std::string> positives;
  for (const OwnParameter& own : method_of(config).parameters) {
    if (own.key == "positives") positives = find_parameter(own.key).get(config);
  }
  std::optional<std::int64_t> batch_size;
  std::string what = "epoch";
  if (config.batch.size > 0) {
    batch_size = config.batch.size;
    what = fmt::format("batch of {}", with_commas(config.batch.size));
  }
  Report report = bench_report(
      {words(fmt::format("one {} of {} on {}: {} nodes, {} score, regulariser {}", what,
                         config.method, run.graph.name, with_commas(run.graph.nodes()),
                         name_of(config.contrast.score), regularisers(config))),
       {"bench", "epoch"},
       {"dataset", run.graph.name},
       {"nodes", run.graph.nodes()},
       {"batch_size", batch_size},
       {"method", config.method},
       {"encoder", encoder_name(config.encoder)},
       {"dim", config.encoder.dim},
       {"score", name_of(config.contrast.score)},
       {"positives", positives},
       {"reg", regularisers(config)},
       {"recipe", run.recipe}},
      context, options.bench, "plain libtorch", result.ours, result.plain);
  append(report.body, {{"pairs", pairs_rule},
                       {"epochs_per_round", result.per_round},
                       {"first_loss", result.first_loss},
                       {"baseline_first_loss", result.plain_first_loss}});
  if (result.plain_first_loss) {
    report.body.push_back(
        words(fmt::format("loss of the first epoch: {:.6f}, plain {:.6f}; {}", result.first_loss,
                          *result.plain_first_loss, pairs_rule)));
  }
  print_report(report, globals);
}

}  // namespace

void add_bench_epoch(CLI::App& bench, GlobalOptions& options) {
  CLI::App* command = bench.add_subcommand(
      "epoch", "Whole training epochs: forward, loss, backward, Adam, statistics");
  command->footer(
      std::string("The plain baseline has dense features, gathers and scatters the "
                  "messages of every propagation,\nand leaves the gradient to autograd; ") +
      pairs_rule + ".");
  const auto chosen = std::make_shared<EpochOptions>();
  add_dataset_options(*command, chosen->run.data);
  add_bench_options(*command, chosen->bench);
  add_train_options(*command, chosen->run);
  use_short_help(*command, chosen->run);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      bench_epoch_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
