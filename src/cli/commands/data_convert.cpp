#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/embedding_writers.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "io/seed_folders.h"
#include "io/write_graph.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  DataSpec dataset;
  std::string out;
  std::string names;
  bool raw = false;
};

bool is_matrix_file(const fs::path& path) {
  return is_file(path) && is_npy(map_file(path));
}

/// RUN/embedding.npy for the folder of a run, else the path itself; a folder of several seeds is an
/// input error.
fs::path embedding_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  if (is_there(path / "embedding.npy")) return path / "embedding.npy";
  for (const fs::path& seed : seed_folders(path)) {
    if (!is_there(seed / "embedding.npy")) continue;
    fail_input({.what = "the folder holds an embedding per seed",
                .file = path.string(),
                .expected = "one of them",
                .hint = "creg data convert " + seed.string() + " OUT"});
  }
  return path;
}

void convert_matrix(const Context& context, const fs::path& in, const ConvertOptions& options) {
  const DenseMatrix matrix = read_npy(map_file(in)).to_matrix();
  const fs::path names_file = options.names.empty() ? find_node_names(in) : fs::path(options.names);
  NodeNames names;
  if (!names_file.empty()) names = read_node_names(names_file, in, matrix.rows);
  const std::string form = fs::path(options.out).extension().string();
  if (form == ".tsv") {
    write_embedding_tsv(context, options.out, matrix, names);
  } else if (form == ".txt" || form == ".w2v") {
    write_embedding_word2vec(context, options.out, matrix, names);
  } else if (form == ".safetensors") {
    write_embedding_safetensors(context, options.out, matrix, names);
  } else if (form == ".npy") {
    const fs::path names_beside = node_names_path(options.out);
    if (names_beside != names_file) remove_node_names(options.out);
    write_npy(options.out, matrix);
    write_node_names(names_beside, names);
  } else {
    fail_input({.what = "unknown form of an embedding file",
                .file = options.out,
                .found = in_quotes(form),
                .expected = ".tsv, .txt (word2vec), .safetensors or .npy"});
  }
}

Graph convert_graph(const Context& context, const ConvertOptions& options,
                    const GlobalOptions& globals) {
  check_graph_ending(options.out);
  const Dataset dataset = open_chosen(context, options.dataset, globals);
  const Graph graph =
      options.raw ? dataset.raw : prepare_graph(context, dataset, options.dataset.transforms);
  CregProvenance provenance{.source = dataset.source};
  if (!options.raw) {
    provenance.transforms = dataset.transforms;
    provenance.transforms.insert(provenance.transforms.end(), options.dataset.transforms.begin(),
                                 options.dataset.transforms.end());
  }
  write_graph(context, options.out, graph, provenance);
  return graph;
}

void convert(const Context& context, ConvertOptions options, const GlobalOptions& globals) {
  // With --edges the one positional word is the output.
  if (!options.dataset.edges.empty() && options.out.empty()) {
    std::swap(options.out, options.dataset.dataset);
  }
  if (options.out.empty()) {
    fail_input({.what = "no output file was named", .hint = "creg data convert IN OUT.creg"});
  }
  std::string what;
  const fs::path in = embedding_of(options.dataset.dataset);
  if (is_matrix_file(in)) {
    convert_matrix(context, in, options);
    what = "matrix";
  } else {
    const Graph graph = convert_graph(context, options, globals);
    what = fmt::format("{} nodes, {} adjacency entries", with_commas(graph.nodes()),
                       with_commas(graph.adjacency.nonzeros()));
  }
  const auto bytes = static_cast<std::int64_t>(fs::file_size(options.out));
  const Report report{
      .body = {words(fmt::format("{}: {}, {}", options.out, what, human_bytes(bytes))),
               {"out", options.out},
               {"bytes", bytes}}};
  print_report(report, globals);
}

}  // namespace

void add_data_convert(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand(
      "convert",
      "Any graph to .creg or .npz; a run or an embedding .npy to .tsv, .txt or .safetensors");
  const auto chosen = std::make_shared<ConvertOptions>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--out,out", chosen->out, "The file to write")->type_name("OUT");
  command->add_flag("--raw", chosen->raw, "Keep the graph as stored: no transforms, no merging");
  command
      ->add_option("--names", chosen->names,
                   "Names of an embedding's rows, one per line [those beside it]")
      ->type_name("FILE");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      convert(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
