#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/stats_table.h"
#include "creg/io/dataset.h"

namespace creg::cli {
namespace {

void show_demo(const Context& context, bool json) {
  const Dataset dataset = open_dataset(context, "", "");
  const GraphStats stored = graph_stats(context, dataset.raw);
  const GraphStats prepared = graph_stats(context, prepare_graph(context, dataset));
  if (json) {
    print_result(stats_json(stored).dump(2) + "\n");
    return;
  }
  print_result(
      fmt::format("{}: the graph inside creg, a citation network made from a seed\n\n{}\n"
                  "Next, look at your own graph, or at a benchmark:\n"
                  "  creg data info --edges edges.csv --features features.npy --labels labels.csv\n"
                  "  creg data get cora && creg data info cora\n"
                  "  creg data list\n",
                  dataset.raw.name, stats_table(stored, prepared)));
}

}  // namespace

void add_demo(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("demo", "The embedded graph at a glance");
  command->callback([&options] {
    options.action = [&options](const Context& context) { show_demo(context, options.json); };
  });
}

}  // namespace creg::cli
