#include <fmt/format.h>

#include <memory>

#include "bench/infonce.h"
#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/reports/bench_report.h"
#include "core/text.h"

namespace creg::cli {
namespace {

struct InfoNceOptions {
  DataSpec dataset;
  BenchOptions bench{.measure = {.warm_up = 1, .repetitions = 5}};
  std::int64_t dim = 128;
  double temperature = 0.5;
};

void bench_infonce_command(const Context& context, const InfoNceOptions& options,
                           const GlobalOptions& globals) {
  const Dataset dataset = open_chosen_or_embedded(context, options.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, options.dataset.transforms);
  const InfoNceBench result =
      bench_infonce(context, graph.nodes(), options.dim, options.temperature, options.bench.measure,
                    options.bench.plain());
  Report report = bench_report(
      {words(fmt::format(
           "InfoNCE between two views and its gradient, {}: 2 x {} nodes x {}, temperature {}",
           graph.name, with_commas(graph.nodes()), options.dim, options.temperature)),
       {"bench", "infonce"},
       {"dataset", graph.name},
       {"nodes", graph.nodes()},
       {"dim", options.dim},
       {"temperature", options.temperature}},
      context, options.bench, "plain, N x N", result.ours, result.plain);
  append(report.body, {{"loss", result.loss},
                       {"loss_difference", result.loss_difference},
                       {"gradient_difference", result.gradient_difference}});
  if (result.loss_difference) {
    report.body.push_back(
        words(fmt::format("differences: loss {:.2g}, gradients {:.2g} of the largest",
                          *result.loss_difference, *result.gradient_difference)));
  }
  print_report(report, globals);
}

}  // namespace

void add_bench_infonce(CLI::App& bench, GlobalOptions& options) {
  CLI::App* command =
      bench.add_subcommand("infonce", "InfoNCE over all pairs of two views, and its gradient");
  command->footer(
      "Projections are random; the dataset says how many nodes there are. The plain baseline "
      "writes "
      "the N x N\nsimilarities within and between the views down, for either side, as GRACE's code "
      "does.");
  const auto chosen = std::make_shared<InfoNceOptions>();
  add_dataset_options(*command, chosen->dataset);
  add_bench_options(*command, chosen->bench);
  command->add_option("--dim", chosen->dim, "Width of the projections")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--temperature", chosen->temperature, "Divides the cosines")
      ->type_name("T")
      ->check(CLI::Range(0.025, 1000.0))
      ->capture_default_str();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      bench_infonce_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
