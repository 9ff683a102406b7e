#include "io/node_names_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {

namespace fs = std::filesystem;

fs::path node_names_path(const fs::path& embedding) {
  return embedding.string() + ".nodes.tsv";
}

void write_node_names(AtomicFile& file, const NodeNames& names) {
  for (std::int64_t i = 0; i < names.size(); ++i) {
    std::string line(names[i]);
    for (char& c : line) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    file.write(std::string_view(line += '\n'));
  }
}

void write_node_names(const fs::path& path, const NodeNames& names) {
  if (names.empty()) return;
  AtomicFile file(path);
  write_node_names(file, names);
  file.commit();
}

fs::path find_node_names(const fs::path& embedding) {
  std::vector<fs::path> places = {node_names_path(embedding),
                                  fs::path(embedding).replace_extension(".nodes.tsv")};
  if (embedding.filename() == "embedding.npy") {
    places.push_back(embedding.parent_path() / "nodes.tsv");
  }
  for (const fs::path& place : places) {
    if (is_there(place)) return place;
  }
  return {};
}

NodeNames read_node_names(const fs::path& path, const fs::path& embedding, std::int64_t rows) {
  return read_node_names(map_file(path), embedding, rows);
}

NodeNames read_node_names(const Bytes& file, const fs::path& embedding, std::int64_t rows) {
  std::vector<std::string> names;
  std::string_view text = file.text();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    names.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto count = static_cast<std::int64_t>(names.size());
  if (count != rows) {
    fail_input({.what = "names do not match the rows of the matrix",
                .file = file.name,
                .found = counted(count, "line"),
                .expected = with_commas(rows) + ", the rows of " + embedding.string()});
  }
  return NodeNames{names};
}

}  // namespace creg
