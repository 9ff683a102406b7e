#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/train/trainer.h"
#include "io/embedding_writers.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "run/run_folder.h"

namespace creg::cli {
namespace {

struct EmbedOptions {
  DataSpec dataset;
  std::string checkpoint;
  std::string out;
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

void write_embedding(const Context& context, const std::filesystem::path& path,
                     const DenseMatrix& embedding, const NodeNames& names) {
  const std::string kind = path.extension().string();
  if (kind == ".npy") {
    remove_node_names(path);  // those of other rows, at no moment beside these
    write_npy(path, embedding);
  } else if (kind == ".tsv") {
    write_embedding_tsv(context, path, embedding, names);
  } else if (kind == ".txt") {
    write_embedding_word2vec(context, path, embedding, names);
  } else if (kind == ".safetensors") {
    write_embedding_safetensors(context, path, embedding, names);
  } else {
    fail_input({.what = "unknown kind of file",
                .file = "--out",
                .found = in_quotes(path.string()),
                .expected = "a name that ends in .npy, .tsv, .txt (word2vec) or .safetensors"});
  }
  if (names.empty()) {
    remove_node_names(path);
  } else {
    write_node_names(node_names_path(path), names);
  }
}

void embed_command(const Context& context, const EmbedOptions& options,
                   const GlobalOptions& globals) {
  const DataSpec wanted = dataset_for(options);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  const DenseMatrix embedding = embed(context, graph, options.checkpoint);
  write_embedding(context, options.out, embedding, graph.names);
  const Report report{
      .body = {
          words(fmt::format("{}: {} x {} of {}", options.out, with_commas(embedding.rows),
                            with_commas(embedding.cols), graph.name)),
          {"dataset", graph.name},
          {"checkpoint", options.checkpoint},
          {"out", options.out},
          {"names", graph.names.empty() ? Value() : Value(node_names_path(options.out).string())},
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
  command->add_option("--out", chosen->out, "The file to write: .npy, .tsv, .txt or .safetensors")
      ->type_name("FILE")
      ->required();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      embed_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
