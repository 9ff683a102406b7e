#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/train/trainer.h"
#include "io/embedding_writers.h"
#include "io/node_lookup.h"
#include "io/node_names_file.h"
#include "io/run_files.h"
#include "run/run_record.h"
#include "train/embed_nodes.h"

namespace creg::cli {
namespace {

struct EmbedOptions {
  DataSpec dataset;
  std::string checkpoint;
  std::string out;
  std::string only;
};

/// What is asked for, else the dataset of the run that the checkpoint lies in.
DataSpec dataset_for(const EmbedOptions& options) {
  DataSpec data = options.dataset;
  const std::filesystem::path folder = std::filesystem::absolute(options.checkpoint).parent_path();
  if (!data.dataset.empty() || !data.edges.empty() || !holds_run(folder)) return data;
  const RunRecord record = read_record(folder);
  data.dataset = record.dataset;
  if (data.transforms.empty()) data.transforms = record.transforms;
  data.reading = record.reading | data.reading;
  return data;
}

/// With the names of its rows beside it.
void write_with_names(const Context& context, const std::filesystem::path& path,
                      const DenseMatrix& embedding, const NodeNames& names) {
  AtomicPair files(path, node_names_path(path), !names.empty());
  write_embedding(context, files.file(), embedding, names);
  if (!names.empty()) write_node_names(files.beside(), names);
  files.commit();
}

void embed_command(const Context& context, const EmbedOptions& options,
                   const GlobalOptions& globals) {
  check_embedding_ending(options.out);
  check_output_file(options.out);
  const DataSpec wanted = dataset_for(options);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  NodeNames names = graph.names;
  DenseMatrix embedding;
  if (options.only.empty()) {
    embedding = embed(context, graph, options.checkpoint);
  } else {
    const std::vector<std::string> only = read_name_list(context, options.only);
    names = NodeNames(only);
    embedding = embed_nodes(context, graph, options.checkpoint,
                            find_nodes(context, graph.names, graph.nodes(), only, options.only));
  }
  write_with_names(context, options.out, embedding, names);
  const Report report{
      .body = {words(fmt::format("{}: {} x {} of {}", options.out, with_commas(embedding.rows),
                                 with_commas(embedding.cols), graph.name)),
               {"dataset", graph.name},
               {"checkpoint", options.checkpoint},
               {"out", options.out},
               {"names", names.empty() ? Value() : Value(node_names_path(options.out).string())},
               {"nodes", embedding.rows},
               {"dim", embedding.cols}}};
  print_report(report, globals);
}

}  // namespace

void add_embed(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("embed", "Embed a graph with a trained encoder");
  const auto chosen = std::make_shared<EmbedOptions>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--checkpoint", chosen->checkpoint, "DIR/checkpoint.pt of a run")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--out", chosen->out,
                   "The file to write: .npy, .tsv, .csv, .txt or .safetensors")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--only", chosen->only,
                   "Embed the nodes of this list alone, a name a line; -: standard input")
      ->type_name("FILE");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      embed_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
