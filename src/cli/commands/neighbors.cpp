#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/tasks/neighbours.h"
#include "io/file.h"
#include "io/node_lookup.h"
#include "io/node_names_file.h"
#include "io/run_files.h"
#include "ops/runtime.h"
#include "report/neighbours_report.h"
#include "run/embeddings.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct NeighborsOptions {
  std::string source;
  DataSpec dataset;
  std::vector<std::string> nodes;
  std::string list;
  bool all = false;
  std::string out;
  NeighbourOptions search;
  std::string similarity = "cosine";
  std::string graph_neighbours = "mark";
  bool exact = false;
  bool approximate = false;
};

template <class E>
E chosen_name(const std::string& flag, const std::string& text) {
  if (const std::optional<E> found = from_name<E>(text)) return *found;
  fail_input({.what = "unknown name",
              .file = flag,
              .found = in_quotes(text),
              .expected = join_words(names_of<E>(), " or ")});
}

void check_flags(const NeighborsOptions& chosen) {
  const bool named = !chosen.nodes.empty() || !chosen.list.empty();
  if (chosen.all && named) {
    fail_input({.what = "--all is all nodes", .expected = "no names beside it"});
  }
  if (!chosen.all && !named) {
    fail_input({.what = "no node is named",
                .expected = "names of nodes, --nodes FILE, or --all --out FILE"});
  }
  if (chosen.all && chosen.out.empty()) {
    fail_input({.what = "--all needs a file to write to", .expected = "--out NN.tsv or NN.csv"});
  }
  if (chosen.exact && chosen.approximate) {
    fail_input({.what = "--exact and --approximate are opposites", .expected = "one of them"});
  }
  if (chosen.approximate && !chosen.all) {
    fail_input({.what = "an index is made for all nodes",
                .file = "--approximate",
                .expected = "--all with it",
                .hint = "the exact neighbours of some nodes take less than an index"});
  }
}

NeighbourOptions search_of(const NeighborsOptions& chosen) {
  NeighbourOptions search = chosen.search;
  search.similarity = chosen_name<Similarity>("--similarity", chosen.similarity);
  search.graph_neighbours =
      chosen_name<GraphNeighbours>("--graph-neighbours", chosen.graph_neighbours);
  if (chosen.exact) search.search = NeighbourSearch::exact;
  if (chosen.approximate) search.search = NeighbourSearch::approximate;
  return search;
}

fs::path only_embedding(const EmbeddingSource& source, const std::string& given) {
  if (source.files.size() == 1) return source.files.front();
  fail_input({.what = "the folder holds an embedding per seed",
              .file = given,
              .expected = "one of them",
              .hint = "creg neighbors " + source.files.front().parent_path().string() + " …"});
}

/// The graph that was asked for or that the run was made of, if there is one.
std::optional<Graph> graph_of(const Context& context, const EmbeddingSource& source,
                              const DataSpec& asked, const GlobalOptions& globals) {
  const DataSpec wanted = dataset_of(source, asked);
  if (wanted.dataset.empty() && wanted.edges.empty() && wanted.features.empty() &&
      wanted.labels.empty()) {
    return std::nullopt;
  }
  const Dataset dataset = open_chosen(context, wanted, globals);
  return prepare_graph(context, dataset, wanted.transforms);
}

NodeNames names_beside(const fs::path& file, std::int64_t rows) {
  const fs::path names = find_node_names(file);
  return names.empty() ? NodeNames() : read_node_names(names, file, rows);
}

std::vector<std::int32_t> named_nodes(const Context& context, const NeighborsOptions& chosen,
                                      const NodeNames& names, std::int64_t rows) {
  std::vector<std::int32_t> nodes = find_nodes(context, names, rows, chosen.nodes, "NODE");
  if (chosen.list.empty()) return nodes;
  const std::vector<std::string> listed = read_name_list(context, chosen.list);
  const std::vector<std::int32_t> more = find_nodes(context, names, rows, listed, chosen.list);
  nodes.insert(nodes.end(), more.begin(), more.end());
  return nodes;
}

void show_neighbours(const Context& context, const NeighborsOptions& chosen,
                     const GlobalOptions& globals) {
  check_flags(chosen);
  if (!chosen.out.empty()) check_output_file(chosen.out);
  const NeighbourOptions search = search_of(chosen);
  const EmbeddingSource source = find_embeddings(chosen.source);
  const fs::path file = only_embedding(source, chosen.source);
  const DenseMatrix embedding = read_embedding(file);
  const std::optional<Graph> graph = graph_of(context, source, chosen.dataset, globals);
  const Graph* const known = graph ? &*graph : nullptr;
  const NeighbourSource from{.embedding = file.string(),
                             .graph = graph ? graph->name : "",
                             .names = graph ? graph->names : names_beside(file, embedding.rows)};
  if (chosen.all) {
    prepare_torch(context);
    NeighboursFile out(chosen.out);
    const NeighbourSummary summary =
        all_neighbours(context, known, embedding, search,
                       [&](const NeighbourLists& some) { out.add(context, some, from.names); });
    out.commit();
    print_report(neighbours_file_report(summary, from, search, embedding.rows, chosen.out),
                 globals);
    return;
  }
  const std::vector<std::int32_t> nodes = named_nodes(context, chosen, from.names, embedding.rows);
  prepare_torch(context);
  const NeighbourLists lists = neighbours(context, known, embedding, nodes, search);
  if (chosen.out.empty()) {
    print_report(neighbours_report(lists, from, search), globals);
    return;
  }
  NeighboursFile out(chosen.out);
  out.add(context, lists, from.names);
  out.commit();
  print_report(neighbours_file_report({}, from, search, lists.size(), chosen.out), globals);
}

}  // namespace

void add_neighbors(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("neighbors");
  const auto chosen = std::make_shared<NeighborsOptions>();
  command
      ->add_option("embedding", chosen->source, "The folder of creg train --out, or an .npy file")
      ->type_name("RUN|EMB.npy")
      ->required();
  command->add_option("node", chosen->nodes, "Names of nodes, as the dataset has them")
      ->type_name("NODE");
  command->add_option("--nodes", chosen->list, "More of them, one a line; -: standard input")
      ->type_name("FILE");
  command->add_flag("--all", chosen->all, "Of every node, into the file of --out");
  command
      ->add_option("--out", chosen->out,
                   "Write rows of node, rank, neighbour, score and edge: .tsv or .csv")
      ->type_name("FILE");
  command->add_option("-k", chosen->search.k, "How many neighbours of each node [10]")
      ->type_name("K");
  command->add_option("--similarity", chosen->similarity, "What makes nodes similar [cosine]")
      ->type_name("cosine|dot");
  command
      ->add_option("--graph-neighbours", chosen->graph_neighbours,
                   "Say which of them the graph joins to the node, or leave these out [mark]")
      ->type_name("mark|exclude");
  command->add_flag(
      "--approximate", chosen->approximate,
      fmt::format("With --all: by an index, which says how many of the exact ones it finds; on the "
                  "CPU the default beyond {} nodes",
                  with_commas(most_exact_nodes)));
  command->add_flag("--exact", chosen->exact, "With --all: compare all nodes, however many");
  add_dataset_options(*command, chosen->dataset, DatasetFlags::without_splits);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      show_neighbours(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
