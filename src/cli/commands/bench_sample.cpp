#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "bench/sample.h"
#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/reports/bench_report.h"
#include "core/text.h"

namespace creg::cli {
namespace {

struct SampleOptions {
  DataSpec dataset;
  BenchOptions bench;
  SamplerOptions sampler{.fanouts = {10, 10, 25}};
  std::int64_t batch_size = 1024;
};

double edges_per_second(const BatchSizes& sizes, const Measurement& measured) {
  return sizes.edges / spread_of(measured.ms).median * 1e3;
}

void bench_sample_command(const Context& context, const SampleOptions& options,
                          const GlobalOptions& globals) {
  const Dataset dataset = open_chosen_or_embedded(context, options.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, options.dataset.transforms);
  const SampleBench result = bench_sample(context, graph, options.sampler, options.batch_size,
                                          options.bench.measure, options.bench.plain());
  const double rate = edges_per_second(result.sizes, result.ours);
  std::optional<double> plain_rate;
  std::optional<double> plain_nodes;
  std::optional<double> plain_edges;
  if (result.plain) {
    plain_rate = edges_per_second(*result.plain_sizes, *result.plain);
    plain_nodes = result.plain_sizes->nodes;
    plain_edges = result.plain_sizes->edges;
  }
  std::string text =
      fmt::format("times are of one batch, of {} in a round\ndrawn: {:.1f} million edges/s",
                  result.batches, rate / 1e6);
  if (plain_rate) text += fmt::format(" (plain {:.1f})", *plain_rate / 1e6);
  text += fmt::format("; {:.0f} nodes and {:.0f} edges a batch", result.sizes.nodes,
                      result.sizes.edges);
  if (plain_nodes) text += fmt::format(" (plain {:.0f} and {:.0f})", *plain_nodes, *plain_edges);
  Report report = bench_report(
      {words(fmt::format("batches of {} seeds, fanouts {}{}, {}: {} nodes, {} entries",
                         with_commas(options.batch_size), fmt::join(options.sampler.fanouts, ","),
                         options.sampler.replace ? " with replacement" : "", graph.name,
                         with_commas(graph.nodes()), with_commas(graph.adjacency.nonzeros()))),
       {"bench", "sample"},
       {"dataset", graph.name},
       {"nodes", graph.nodes()},
       {"entries", graph.adjacency.nonzeros()},
       {"fanouts", options.sampler.fanouts},
       {"with_replacement", options.sampler.replace},
       {"batch_size", options.batch_size},
       {"batches_per_round", result.batches}},
      context, options.bench, "plain, whole tensors", result.ours, result.plain);
  append(report.body, {{"edges_per_second", rate},
                       {"baseline_edges_per_second", plain_rate},
                       {"nodes_per_batch", result.sizes.nodes},
                       {"edges_per_batch", result.sizes.edges},
                       {"baseline_nodes_per_batch", plain_nodes},
                       {"baseline_edges_per_batch", plain_edges},
                       words(text)});
  print_report(report, globals);
}

}  // namespace

void add_bench_sample(CLI::App& bench, GlobalOptions& options) {
  CLI::App* command = bench.add_subcommand(
      "sample", "The neighbourhoods of mini-batches: sampled edges per second");
  command->footer(
      "Our batches are drawn side by side, one per thread; the plain baseline draws one after the "
      "other by index\noperations on whole tensors, each on all threads. Of more neighbours than "
      "the fanout it draws with replacement\nin any case, which is the cheaper thing to do there. "
      "On the CPU alone.");
  const auto chosen = std::make_shared<SampleOptions>();
  add_dataset_options(*command, chosen->dataset);
  add_bench_options(*command, chosen->bench);
  command
      ->add_option("--fanouts", chosen->sampler.fanouts,
                   "Neighbours to draw of each node, from the seeds outward; -1: all")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--batch-size", chosen->batch_size, "Seeds of a batch")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--with-replacement", chosen->sampler.replace,
                    "Draw the fanout of every node, neighbours may repeat");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      bench_sample_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
