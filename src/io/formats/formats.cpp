#include "io/formats/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/formats/gnn_benchmark.h"
#include "io/formats/ogb.h"
#include "io/formats/planetoid.h"
#include "io/formats/read_user_dataset.h"
#include "io/formats/reddit.h"
#include "io/formats/scipy_sparse.h"
#include "io/formats/wiki_tadw.h"
#include "io/formats/wikics.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view npz_phrase = "an npz in {} form";

bool has(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

bool is_planetoid_file(std::string_view name) {
  return name.starts_with("ind.");
}
bool is_wiki_folder(const fs::path& folder) {
  return has(folder, "graph.txt") && has(folder, "group.txt");
}
bool is_ogb_folder(const fs::path& folder) {
  return has(folder, "raw/edge.csv.gz");
}
bool is_reddit_folder(const fs::path& folder) {
  return has(folder, "reddit_data.npz") || has(folder, "reddit_graph.npz");
}
bool is_wikics_folder(const fs::path& folder) {
  return has(folder, "data.json");
}

bool has_adjacency(const ZipArchive& archive) {
  return archive.find("adj_indptr.npy") != nullptr || archive.find("adj_data.npy") != nullptr;
}
bool has_scipy_matrix(const ZipArchive& archive) {
  return archive.find("format.npy") != nullptr && archive.find("shape.npy") != nullptr;
}
bool has_ogb_edges(const ZipArchive& archive) {
  return std::any_of(
      archive.members().begin(), archive.members().end(),
      [](const ZipMember& member) { return member.name.ends_with("raw/edge.csv.gz"); });
}

bool any_text(std::string_view /*text*/) {
  return true;
}
bool starts_json_object(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{';
}

// TOML that names edges; an edge list has no line of that form.
bool names_edges(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto skip_blanks = [&line] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t\""), line.size()));
    };
    skip_blanks();
    if (!line.starts_with("edges")) continue;
    line.remove_prefix(5);
    skip_blanks();
    if (line.starts_with('=')) return true;
  }
  return false;
}

StoredGraph stored(Graph graph) {
  return {.graph = std::move(graph), .transforms = {}};
}

// Forms of arrays say themselves how much they hold; those of text can be cut off unnoticed.
template <Graph (*Reader)(const Context&, const Bytes&)>
StoredGraph read_file(const Context& context, const fs::path& path,
                      const ReadOptions& /*reading*/) {
  return stored(Reader(context, map_file(path)));
}
template <Graph (*Reader)(const Context&, const Bytes&, const ReadOptions&)>
StoredGraph read_text_file(const Context& context, const fs::path& path,
                           const ReadOptions& reading) {
  return stored(Reader(context, map_file(path), reading));
}
template <Graph (*Reader)(const Context&, const fs::path&)>
StoredGraph read_path(const Context& context, const fs::path& path,
                      const ReadOptions& /*reading*/) {
  return stored(Reader(context, path));
}
template <Graph (*Reader)(const Context&, const fs::path&, const ReadOptions&)>
StoredGraph read_text_path(const Context& context, const fs::path& path,
                           const ReadOptions& reading) {
  return stored(Reader(context, path, reading));
}
Graph plain_creg(const Context& context, const Bytes& file) {
  return read_creg(context, file);
}

StoredGraph read_one_planetoid(const Context& context, const fs::path& folder,
                               const ReadOptions& /*reading*/) {
  return stored(read_planetoid(context, folder, only_planetoid(folder)));
}

StoredGraph read_adjacency(const Context& context, const fs::path& path,
                           const ReadOptions& /*reading*/) {
  const Bytes file = map_file(path);
  Graph graph;
  graph.name = path.stem().string();
  graph.adjacency = sort_rows(context, read_scipy_sparse(context, file));
  graph.directed = true;
  validate(context, graph, file.name);
  return stored(std::move(graph));
}

StoredGraph read_toml(const Context& context, const fs::path& path, const ReadOptions& reading) {
  UserDatasetSpec spec = parse_user_dataset(map_file(path), path.parent_path());
  spec.reading = spec.reading | reading;
  return {.graph = read_user_dataset(context, spec), .transforms = std::move(spec.transforms)};
}

void write_npz(const Context& /*context*/, const fs::path& path, const Graph& graph,
               const CregProvenance& /*provenance*/) {
  write_gnn_benchmark(path, graph);
}

// A form stands before those that would take its files too.
constexpr std::array format_table{
    GraphFormat{.name = "creg",
                .signs = {.bytes = is_creg},
                .words = {.file = "a .creg file", .place = 1},
                .read = read_file<plain_creg>,
                .measure = measure_creg,
                .writer = {.ending = ".creg", .words = ".creg", .write = write_creg}},
    GraphFormat{.name = "planetoid",
                .signs = {.member = is_planetoid_file},
                .words = {.folder = "Planetoid"},
                .read = read_one_planetoid,
                .measure = measure_planetoid},
    GraphFormat{.name = "gnn-benchmark",
                .signs = {.archive = has_adjacency},
                .words = {.file = npz_phrase, .place = 4},
                .read = read_file<read_gnn_benchmark>,
                .measure = measure_gnn_benchmark,
                .writer = {.ending = ".npz",
                           .words = ".npz in the gnn-benchmark form",
                           .write = write_npz}},
    GraphFormat{.name = "scipy-sparse",
                .signs = {.archive = has_scipy_matrix},
                .words = {.file = npz_phrase, .place = 4},
                .read = read_adjacency,
                .measure = measure_scipy_sparse},
    GraphFormat{.name = "wiki",
                .signs = {.folder = is_wiki_folder},
                .words = {.folder = "TADW Wiki"},
                .read = read_text_path<read_wiki>,
                .measure = measure_wiki},
    GraphFormat{.name = "ogb",
                .signs = {.folder = is_ogb_folder, .archive = has_ogb_edges},
                .words = {.file = "an OGB zip", .place = 6, .folder = "OGB"},
                .read = read_text_path<read_ogb>,
                .measure = measure_ogb},
    GraphFormat{.name = "reddit",
                .signs = {.folder = is_reddit_folder},
                .words = {.folder = "Reddit"},
                .read = read_path<read_reddit>,
                .measure = measure_reddit},
    GraphFormat{.name = "wikics",
                .signs = {.folder = is_wikics_folder, .text = starts_json_object},
                .file_inside = "data.json",
                .words = {.file = "WikiCS data.json", .place = 5, .folder = "WikiCS"},
                .read = read_text_file<read_wikics>,
                .measure = measure_wikics},
    GraphFormat{.name = "toml",
                .signs = {.text = names_edges},
                .words = {.file = "a TOML file that names your files", .place = 3},
                .read = read_toml,
                .measure = measure_toml},
    GraphFormat{.name = "edge-list",
                .signs = {.text = any_text},
                .words = {.file = "an edge list (CSV, TSV or spaces, also gzip)", .place = 2},
                .read = read_file<read_edge_list_graph>,
                .measure = measure_edge_list},
};

// The phrases of files, each once, with the names of the forms that share it.
std::vector<std::string> file_phrases() {
  std::vector<const GraphFormat*> files;
  for (const GraphFormat& format : format_table) {
    if (!format.words.file.empty()) files.push_back(&format);
  }
  std::stable_sort(files.begin(), files.end(), [](const GraphFormat* a, const GraphFormat* b) {
    return a->words.place < b->words.place;
  });
  std::vector<std::string> phrases;
  for (auto first = files.begin(); first != files.end();) {
    const auto end = std::find_if(first, files.end(), [&](const GraphFormat* format) {
      return format->words.file != (*first)->words.file;
    });
    std::vector<std::string> names;
    std::transform(first, end, std::back_inserter(names),
                   [](const GraphFormat* format) { return std::string(format->name); });
    phrases.push_back(fmt::format(fmt::runtime((*first)->words.file), join_words(names, " or ")));
    first = end;
  }
  return phrases;
}

}  // namespace

std::span<const GraphFormat> graph_formats() {
  return format_table;
}

std::string known_forms() {
  std::vector<std::string> folders;
  for (const GraphFormat& format : format_table) {
    if (!format.words.folder.empty()) folders.emplace_back(format.words.folder);
  }
  return fmt::format("{}, or a folder of {} files", fmt::join(file_phrases(), ", "),
                     join_words(folders, " or "));
}

}  // namespace creg
