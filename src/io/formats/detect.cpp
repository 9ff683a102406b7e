#include "io/formats/detect.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "io/containers/zip.h"
#include "io/creg_file.h"
#include "io/file.h"
#include "io/npy.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view known_forms =
    "a .creg file, an edge list (CSV, TSV or spaces, also gzip), a TOML file that names your "
    "files, "
    "an npz in gnn-benchmark or scipy-sparse form, WikiCS data.json, an OGB zip, or a folder of "
    "Planetoid, TADW Wiki, OGB, Reddit or WikiCS files";

[[noreturn]] void fail_unknown(const fs::path& path, std::string found) {
  fail_input({.what = "not a graph in a form known here",
              .file = path.string(),
              .found = std::move(found),
              .expected = std::string(known_forms)});
}

bool has(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

bool is_planetoid_file(const fs::path& path) {
  return path.filename().string().starts_with("ind.");
}

DetectedPath detect_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  if (error) fail_errno(error.value(), "cannot read this folder", folder.string());
  std::sort(files.begin(), files.end());

  if (std::any_of(files.begin(), files.end(), is_planetoid_file)) {
    return {PathFormat::planetoid, folder};
  }
  if (has(folder, "graph.txt") && has(folder, "group.txt")) return {PathFormat::wiki_tadw, folder};
  if (has(folder, "raw/edge.csv.gz")) return {PathFormat::ogb, folder};
  if (has(folder, "reddit_data.npz") || has(folder, "reddit_graph.npz")) {
    return {PathFormat::reddit, folder};
  }
  if (has(folder, "data.json")) return {PathFormat::wikics, folder / "data.json"};
  // A folder around a single file is that file.
  if (files.size() == 1) return detect_path(files.front());
  fail_unknown(folder, "a folder with " + std::to_string(files.size()) + " other files");
}

DetectedPath detect_zip(const fs::path& path, const Bytes& bytes) {
  const ZipArchive archive(bytes);
  if (archive.find("adj_indptr.npy") != nullptr || archive.find("adj_data.npy") != nullptr) {
    return {PathFormat::gnn_benchmark, path};
  }
  if (archive.find("format.npy") != nullptr && archive.find("shape.npy") != nullptr) {
    return {PathFormat::scipy_sparse, path};
  }
  for (const ZipMember& member : archive.members()) {
    if (member.name.ends_with("raw/edge.csv.gz")) return {PathFormat::ogb, path};
  }
  std::vector<std::string> names;
  constexpr std::size_t most = 6;
  for (const ZipMember& member : archive.members()) {
    if (names.size() == most) break;
    names.push_back(in_quotes(member.name));
  }
  fail_unknown(path, "an archive of " + join_words(names));
}

// The first bytes of a text, unpacked if need be; an empty file gives an empty text.
std::string first_text(const Bytes& bytes) {
  constexpr std::size_t enough = 4096;
  if (!is_gzip(bytes)) return std::string(bytes.text().substr(0, enough));
  std::string text(enough, '\0');
  Inflater inflater(bytes, Compression::gzip);
  text.resize(inflater.read(std::as_writable_bytes(std::span(text))));
  return text;
}

bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

// TOML that names edges; an edge list has no line of that form.
bool is_user_dataset(std::string_view text) {
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

DetectedPath detect_file(const fs::path& path) {
  if (is_planetoid_file(path)) return {PathFormat::planetoid, path.parent_path()};
  const Bytes bytes = map_file(path);
  if (is_creg(bytes)) return {PathFormat::creg_file, path};
  if (is_zip(bytes)) return detect_zip(path, bytes);
  if (is_npy(bytes)) {
    fail_input({.what = "this is a matrix, not a graph",
                .file = path.string(),
                .hint = "name it as features of a graph: creg data info --edges EDGES.csv "
                        "--features " +
                        path.filename().string()});
  }
  const std::string text = first_text(bytes);
  if (!is_text(text)) fail_unknown(path, "binary data");
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) {
    fail_input({.what = "the file is empty", .file = path.string(), .expected = "edges"});
  }
  if (text[start] == '{') return {PathFormat::wikics, path};
  if (is_user_dataset(text)) return {PathFormat::user_dataset, path};
  return {PathFormat::edge_list, path};
}

}  // namespace

std::string_view format_name(PathFormat format) {
  switch (format) {
    case PathFormat::creg_file:
      return "creg";
    case PathFormat::planetoid:
      return "planetoid";
    case PathFormat::gnn_benchmark:
      return "gnn-benchmark";
    case PathFormat::scipy_sparse:
      return "scipy-sparse";
    case PathFormat::wiki_tadw:
      return "wiki";
    case PathFormat::ogb:
      return "ogb";
    case PathFormat::reddit:
      return "reddit";
    case PathFormat::wikics:
      return "wikics";
    case PathFormat::user_dataset:
      return "toml";
    case PathFormat::edge_list:
      return "edge-list";
  }
  return "";
}

DetectedPath detect_path(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    fail_input({.what = "no such file or folder", .file = path.string()});
  return fs::is_directory(path, ignored) ? detect_folder(path) : detect_file(path);
}

}  // namespace creg
