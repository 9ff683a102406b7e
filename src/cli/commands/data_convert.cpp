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
#include "io/run_files.h"
#include "io/seed_folders.h"
#include "io/write_graph.h"
#include "run/run_record.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  DataSpec dataset;
  std::string out;
  std::string names;
  std::string metadata;
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

/// The graph that the embedding in this file was made of: of the files that were named, else of the
/// run whose folder it lies in.
Graph graph_of(const Context& context, const fs::path& in, const ConvertOptions& options,
               const GlobalOptions& globals) {
  DataSpec data = options.dataset;
  data.dataset.clear();
  if (data.edges.empty()) {
    const fs::path folder = fs::absolute(in).parent_path();
    // Seeds may share the configuration of the folder above.
    const bool own = is_there(folder / "config.toml");
    const fs::path recorded = own ? folder : folder.parent_path();
    if (in.filename() == "embedding.npy" && is_there(recorded / "config.toml")) {
      const RunRecord record = read_record(recorded);
      data.dataset = record.dataset;
      data.transforms = record.transforms;
      data.reading = record.reading | data.reading;
    }
    if (data.dataset.empty()) {
      fail_input({.what = "nothing says what the labels of this embedding are",
                  .file = in.string(),
                  .expected = "the folder of a run, or --edges and --labels with your own files"});
    }
  }
  return prepare_graph(context, open_chosen(context, data, globals), data.transforms);
}

/// The class of each node, empty where there is none.
std::vector<std::string> label_words(const Graph& graph, const fs::path& in, std::int64_t rows) {
  if (!graph.has_labels() || graph.nodes() != rows) {
    fail_input({.what = graph.has_labels() ? "the embedding does not fit the graph of its labels"
                                           : "the graph has no labels",
                .file = in.string(),
                .found = fmt::format("{} and {} of {}", counted(rows, "row"),
                                     counted(graph.nodes(), "node"), graph.name),
                .hint = "--metadata names needs none"});
  }
  std::vector<std::string> words;
  for (const std::int32_t label : graph.labels.span()) {
    if (label == unlabelled) {
      words.emplace_back();
    } else {
      const auto at = static_cast<std::size_t>(label);
      words.push_back(at < graph.class_names.size() ? graph.class_names[at]
                                                    : std::to_string(label));
    }
  }
  return words;
}

void write_for_projector(const Context& context, const fs::path& in, const DenseMatrix& matrix,
                         NodeNames names, const ConvertOptions& options,
                         const GlobalOptions& globals) {
  std::vector<std::string> labels;
  if (options.metadata == "labels") {
    const Graph graph = graph_of(context, in, options, globals);
    labels = label_words(graph, in, matrix.rows);
    if (names.empty()) names = graph.names;
  }
  write_projector_files(context, options.out, matrix, names, labels);
}

void check_metadata(const ConvertOptions& options) {
  if (options.metadata.empty()) return;
  if (options.metadata != "labels" && options.metadata != "names") {
    fail_input({.what = "unknown metadata",
                .file = "--metadata",
                .found = in_quotes(options.metadata),
                .expected = "labels or names"});
  }
  if (fs::path(options.out).extension() != ".tsv") {
    fail_input({.what = "the projector opens a pair of .tsv files",
                .file = "--metadata",
                .found = in_quotes(options.out),
                .expected = "an output that ends in .tsv"});
  }
}

void convert_matrix(const Context& context, const fs::path& in, const ConvertOptions& options,
                    const GlobalOptions& globals) {
  check_embedding_ending(options.out);
  const DenseMatrix matrix = read_npy(map_file(in)).to_matrix();
  const fs::path names_file = options.names.empty() ? find_node_names(in) : fs::path(options.names);
  NodeNames names;
  if (!names_file.empty()) names = read_node_names(names_file, in, matrix.rows);
  if (!options.metadata.empty()) {
    write_for_projector(context, in, matrix, names, options, globals);
    return;
  }
  const fs::path beside = node_names_path(options.out);
  // Only .npy has its names beside it; they may be those that are read.
  if (fs::path(options.out).extension() == ".npy" && beside != names_file) {
    AtomicPair files(options.out, beside, !names.empty());
    write_embedding(context, files.file(), matrix, names);
    if (!names.empty()) write_node_names(files.beside(), names);
    files.commit();
  } else {
    AtomicFile file(options.out);
    write_embedding(context, file, matrix, names);
    file.commit();
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
  check_metadata(options);
  check_output_file(options.out);
  std::string what;
  const fs::path in = embedding_of(options.dataset.dataset);
  if (is_matrix_file(in)) {
    convert_matrix(context, in, options, globals);
    what = "matrix";
  } else {
    if (!options.metadata.empty()) {
      fail_input({.what = "metadata go with an embedding",
                  .file = "--metadata",
                  .found = in_quotes(options.dataset.dataset),
                  .expected = "the folder of a run, or an .npy file"});
    }
    const Graph graph = convert_graph(context, options, globals);
    what = fmt::format("{} nodes, {} adjacency entries", with_commas(graph.nodes()),
                       with_commas(graph.adjacency.nonzeros()));
  }
  const auto bytes = static_cast<std::int64_t>(fs::file_size(options.out));
  Report report{.body = {words(fmt::format("{}: {}, {}", options.out, what, human_bytes(bytes))),
                         {"out", options.out},
                         {"bytes", bytes},
                         {"metadata", options.metadata.empty()
                                          ? Value()
                                          : Value(projector_metadata_path(options.out).string())}}};
  if (!options.metadata.empty()) {
    report.body.push_back(words(fmt::format(
        "{}: its {}, for the embedding projector", projector_metadata_path(options.out).string(),
        options.metadata == "labels" ? "names and labels" : "names")));
  }
  print_report(report, globals);
}

}  // namespace

void add_data_convert(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand(
      "convert",
      "Any graph to .creg or .npz; a run or an embedding .npy to .tsv, .csv, .txt or .safetensors");
  const auto chosen = std::make_shared<ConvertOptions>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--out,out", chosen->out, "The file to write")->type_name("OUT");
  command->add_flag("--raw", chosen->raw, "Keep the graph as stored: no transforms, no merging");
  command
      ->add_option("--names", chosen->names,
                   "Names of an embedding's rows, one per line [those beside it]")
      ->type_name("FILE");
  command
      ->add_option("--metadata", chosen->metadata,
                   "Write the two files that the TensorFlow embedding projector opens: X.tsv, and "
                   "X.metadata.tsv with the names of the nodes, or with their labels too")
      ->type_name("labels|names");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      convert(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
