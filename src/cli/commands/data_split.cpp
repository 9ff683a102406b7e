#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "io/run_files.h"
#include "io/split_file.h"

namespace creg::cli {
namespace {

struct SplitOptions {
  DataSpec dataset;
  std::string protocol;
  std::string out;
};

void write_split(const Context& context, const SplitOptions& options,
                 const GlobalOptions& globals) {
  check_output_file(options.out);
  const Dataset dataset = open_chosen(context, options.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, options.dataset.transforms);
  const std::string protocol = options.protocol.empty() ? dataset.protocol : options.protocol;
  if (protocol.empty()) {
    fail_input({.what = "this dataset has no protocol of its own",
                .file = "--protocol",
                .expected = join_words(split_protocols(), " or ")});
  }
  const Split split = make_split(context, graph, protocol, context.seed());
  write_split_file(options.out, graph,
                   {.protocol = protocol, .seed = context.seed(), .split = split});
  const Report report{
      .body = {
          words(fmt::format("{}: {} train, {} val, {} test nodes of {} by {}, seed {}", options.out,
                            with_commas(split.train.size()), with_commas(split.val.size()),
                            with_commas(split.test.size()), graph.name, protocol, context.seed())),
          {"dataset", graph.name},
          {"protocol", protocol},
          {"seed", context.seed()},
          {"train", split.train.size()},
          {"val", split.val.size()},
          {"test", split.test.size()},
          {"out", options.out}}};
  print_report(report, globals);
}

}  // namespace

void add_data_split(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand("split", "Draw a split and write it as JSON");
  const auto chosen = std::make_shared<SplitOptions>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--protocol", chosen->protocol, "How to split; default the dataset's own")
      ->type_name("P");
  command->add_option("--out", chosen->out, "The file to write")->type_name("FILE")->required();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      write_split(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
