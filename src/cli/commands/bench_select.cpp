#include <fmt/format.h>

#include <memory>

#include "bench/select.h"
#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/reports/bench_report.h"
#include "core/text.h"

namespace creg::cli {
namespace {

struct SelectOptions {
  DataSpec dataset;
  BenchOptions bench{.measure = {.warm_up = 1, .repetitions = 5}};
  std::int64_t k = 5;
  std::int64_t dim = 512;
};

void bench_select_command(const Context& context, const SelectOptions& options,
                          const GlobalOptions& globals) {
  const Dataset dataset = open_chosen_or_embedded(context, options.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, options.dataset.transforms);
  const SelectBench result = bench_select(context, graph, {.dim = options.dim}, options.k,
                                          options.bench.measure, options.bench.plain());
  Report report = bench_report(
      {words(fmt::format(
           "{}, {}: {} nodes x {}",
           options.k == 0
               ? "the entropies of all nodes"
               : fmt::format("the {} most similar of all nodes and the entropies", options.k),
           graph.name, with_commas(graph.nodes()), options.dim)),
       {"bench", "select"},
       {"dataset", graph.name},
       {"nodes", graph.nodes()},
       {"dim", options.dim},
       {"k", options.k}},
      context, options.bench, "plain, N x N", result.ours, result.plain);
  append(report.body, {{"entropy_difference", result.entropy_difference},
                       {"value_difference", result.value_difference}});
  if (result.entropy_difference) {
    std::string differences =
        fmt::format("largest differences: entropies {:.2g}", *result.entropy_difference);
    if (result.value_difference) {
      differences += fmt::format(", similarities {:.2g}", *result.value_difference);
    }
    report.body.push_back(words(std::move(differences)));
  }
  print_report(report, globals);
}

}  // namespace

void add_bench_select(CLI::App& bench, GlobalOptions& options) {
  CLI::App* command = bench.add_subcommand(
      "select", "Similarities over all pairs: the k largest of each node, and its entropy");
  command->footer(
      "The embedding is a fresh GCN's. The plain baseline writes the N x N matrix down: product of "
      "unit rows,\ntopk, clamp, division by the row's sum, logarithms and their sum.");
  const auto chosen = std::make_shared<SelectOptions>();
  add_dataset_options(*command, chosen->dataset);
  add_bench_options(*command, chosen->bench);
  command
      ->add_option("--k", chosen->k,
                   "Most similar nodes to find of each; 0: entropies alone, as seeds are chosen by")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--dim", chosen->dim, "Width of the embedding")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      bench_select_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
