#include <fmt/format.h>

#include <memory>

#include "calibration/random_pairs.h"
#include "cli/commands.h"
#include "core/text.h"
#include "creg/io/dataset.h"
#include "creg/learn/metrics.h"
#include "run/execute.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

constexpr int demo_seeds = 2;

std::vector<Value> run_row(const Context& context, const RunPlan& base, const std::string& method,
                           const std::string& reg) {
  RunPlan run = base;
  find_parameter("method").set(run.config, method);
  find_parameter("reg").set(run.config, reg);
  find_parameter("lr").set(run.config, "3e-3");
  // The score of the paper's code: with it the plain losses are over-confident.
  find_parameter("score").set(run.config, "bilinear");
  for (int s = 0; s < demo_seeds; ++s) run.seeds.push_back(static_cast<std::uint64_t>(s));
  schedule_runs(run);
  Sample accuracy;
  Sample sigma;
  Sample norm_mean;
  Sample norm_variance;
  Sample epochs;
  Sample seconds;
  for (const SeedResult& seed : execute(context, run).seeds) {
    const RandomPairStatistics pairs = random_pair_statistics(context, seed.training.embedding);
    accuracy.values.push_back(summarise(seed.classification->accuracy).mean);
    sigma.values.push_back(pairs.mean_sigma);
    norm_mean.values.push_back(pairs.norm_mean);
    norm_variance.values.push_back(pairs.norm_variance);
    epochs.values.push_back(seed.training.epochs_run);
    seconds.values.push_back(seed.training.seconds);
  }
  return {method, reg, accuracy, sigma, norm_mean, norm_variance, epochs, seconds};
}

constexpr auto what_next =
    "mean sigma: how sure the embedding is that two random nodes belong together (0.5 is\n"
    "undecided). Contrast-Reg keeps it and the lengths |h| down. This graph is made up: its\n"
    "figures show the effect, they are no evidence for a method.\n\n"
    "Next:\n"
    "  creg train --edges edges.csv --features features.npy      embed your own graph\n"
    "  creg data get cora && creg train --dataset cora           a benchmark, by its recipe\n"
    "  creg train --help                                         every parameter";

void show_demo(const Context& context, int epochs, const GlobalOptions& globals) {
  RunPlan base;
  base.dataset = open_dataset(context, "", "");
  base.graph = prepare_graph(context, base.dataset);
  base.recipe = "none";
  base.config.epochs = epochs;
  base.all_threads = context.threads();
  Table rows{.columns = {{"method", "method"},
                         {"reg", "regulariser"},
                         {"accuracy", "test accuracy", Unit::rate},
                         {"mean_sigma_random", "mean sigma", Unit::decimal, true},
                         {"norm_mean", "mean |h|", Unit::plain, true},
                         {"norm_variance", "var |h|", Unit::plain, true},
                         {"epochs_run", "epochs", Unit::count, true},
                         {"seconds", "time", Unit::seconds, true}}};
  for (const char* method : {"ml", "lc"}) {
    for (const char* reg : {"none", "contrast"}) {
      context.log().write(LogLevel::info, fmt::format("training {} with --reg {}", method, reg));
      rows.rows.push_back(run_row(context, base, method, reg));
    }
  }
  const Report report{
      .body = {words(fmt::format("{}: a citation network made from a seed, {} nodes; embeddings "
                                 "learnt without labels",
                                 base.graph.name, with_commas(base.graph.nodes()))),
               {"dataset", base.graph.name},
               {"seeds", demo_seeds},
               {"rows", rows},
               words(what_next)},
      .table = rows};
  print_report(report, globals);
}

}  // namespace

void add_demo(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "demo", "ML and LC with and without Contrast-Reg on the embedded graph, in a minute");
  const auto epochs = std::make_shared<int>(TrainConfig().epochs);
  command->add_option("--epochs", *epochs, "The most epochs [300]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->callback([epochs, &options] {
    options.action = [epochs, &options](const Context& context) {
      show_demo(context, *epochs, options);
    };
  });
}

}  // namespace creg::cli
