#include "io/node_names_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"

namespace creg {

namespace fs = std::filesystem;

fs::path node_names_path(const fs::path& embedding) {
  return embedding.string() + ".nodes.tsv";
}

void write_node_names(const fs::path& path, const NodeNames& names) {
  if (names.empty()) return;
  std::string text;
  for (std::int64_t i = 0; i < names.size(); ++i) {
    for (const char c : names[i]) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    text += '\n';
  }
  write_file(path, text);
}

void remove_node_names(const fs::path& embedding) {
  const fs::path path = node_names_path(embedding);
  std::error_code error;
  fs::remove(path, error);
  if (error) fail_errno(error.value(), "cannot remove", path.string());
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
  const auto count = static_cast<std::int64_t>(names.size());
  if (count != rows) {
    fail_input({.what = "names do not match the rows of the matrix",
                .file = path.string(),
                .found = counted(count, "line"),
                .expected = with_commas(rows) + ", the rows of " + embedding.string()});
  }
  return NodeNames{names};
}

}  // namespace creg
