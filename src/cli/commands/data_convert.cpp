#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/embedding_writers.h"
#include "io/npy.h"
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

bool is_matrix_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && is_npy(map_file(path));
}

// One name per line.
NodeNames read_names(const std::string& path, std::int64_t rows) {
  if (path.empty()) return {};
  const Bytes file = map_file(path);
  std::vector<std::string> names;
  std::string_view text = file.text();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    names.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (static_cast<std::int64_t>(names.size()) != rows) {
    fail_input({.what = "names do not match the rows of the matrix",
                .file = path,
                .found = with_commas(static_cast<std::int64_t>(names.size())) + " lines",
                .expected = with_commas(rows)});
  }
  return NodeNames{names};
}

void convert_matrix(const Context& context, const ConvertOptions& options) {
  const DenseMatrix matrix = read_npy(map_file(options.dataset.dataset)).to_matrix();
  const NodeNames names = read_names(options.names, matrix.rows);
  const std::string form = fs::path(options.out).extension().string();
  if (form == ".tsv") {
    write_embedding_tsv(context, options.out, matrix, names);
  } else if (form == ".txt" || form == ".w2v") {
    write_embedding_word2vec(context, options.out, matrix, names);
  } else if (form == ".safetensors") {
    write_embedding_safetensors(context, options.out, matrix, names);
  } else if (form == ".npy") {
    write_npy(options.out, matrix);
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
  if (is_matrix_file(options.dataset.dataset)) {
    convert_matrix(context, options);
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
      "convert", "Any graph to .creg or .npz; an embedding .npy to .tsv, .txt or .safetensors");
  const auto chosen = std::make_shared<ConvertOptions>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--out,out", chosen->out, "The file to write")->type_name("OUT");
  command->add_flag("--raw", chosen->raw, "Keep the graph as stored: no transforms, no merging");
  command->add_option("--names", chosen->names, "Names of an embedding's rows, one per line")
      ->type_name("FILE");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      convert(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
