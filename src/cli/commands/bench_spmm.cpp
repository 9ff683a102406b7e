#include <fmt/format.h>

#include <memory>

#include "bench/spmm.h"
#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/reports/bench_report.h"
#include "core/text.h"

namespace creg::cli {
namespace {

struct SpmmOptions {
  DataSpec dataset;
  BenchOptions bench;
  std::int64_t dim = 512;
};

double gigabytes_per_second(std::int64_t bytes, const Measurement& measured) {
  return static_cast<double>(bytes) / spread_of(measured.ms).median / 1e6;
}

void bench_spmm_command(const Context& context, const SpmmOptions& options,
                        const GlobalOptions& globals) {
  const Dataset dataset = open_chosen_or_embedded(context, options.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, options.dataset.transforms);
  const SpmmBench result =
      bench_spmm(context, graph, options.dim, options.bench.measure, options.bench.plain());
  const double bandwidth = gigabytes_per_second(result.product_bytes, result.ours);
  const double copied = gigabytes_per_second(result.copy_bytes, result.copy);
  std::optional<double> plain_bandwidth;
  if (result.plain) plain_bandwidth = gigabytes_per_second(result.product_bytes, *result.plain);
  std::string text = fmt::format("gathered, read and written: {:.1f} GB/s", bandwidth);
  if (plain_bandwidth) text += fmt::format(" (ATen {:.1f})", *plain_bandwidth);
  text += fmt::format("; a copy on the same threads reads and writes {:.1f} GB/s", copied);
  if (result.largest_difference) {
    text += fmt::format("\nlargest difference of the products: {:.2g}", *result.largest_difference);
  }
  Report report = bench_report(
      {words(fmt::format("Â·H of {}: {} nodes, {} entries, H {} wide", graph.name,
                         with_commas(graph.nodes()), with_commas(result.nonzeros), options.dim)),
       {"bench", "spmm"},
       {"dataset", graph.name},
       {"nodes", graph.nodes()},
       {"nonzeros", result.nonzeros},
       {"dim", options.dim}},
      context, options.bench, "ATen's CSR product", result.ours, result.plain);
  append(report.body, {{"product_bytes", result.product_bytes},
                       {"gb_per_second", bandwidth},
                       {"baseline_gb_per_second", plain_bandwidth},
                       {"copy_gb_per_second", copied},
                       {"largest_difference", result.largest_difference},
                       words(text)});
  print_report(report, globals);
}

}  // namespace

void add_bench_spmm(CLI::App& bench, GlobalOptions& options) {
  CLI::App* command = bench.add_subcommand("spmm", "One propagation: the sparse product Â·H");
  command->footer(
      "The plain baseline is ATen's product of a sparse CSR tensor with a dense one. Bandwidth "
      "counts every gathered row,\nalso those that a cache had: it may exceed that of a copy.");
  const auto chosen = std::make_shared<SpmmOptions>();
  add_dataset_options(*command, chosen->dataset);
  add_bench_options(*command, chosen->bench);
  command->add_option("--dim", chosen->dim, "Width of H")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      bench_spmm_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
