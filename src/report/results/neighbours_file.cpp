#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "report/neighbours_report.h"

namespace creg {
namespace {

// Nodes whose lines one thread makes at a time.
constexpr std::int64_t line_grain = 256;

/// The ending decides; checked before the file is made.
bool has_commas(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending != ".tsv" && ending != ".csv") {
    fail_input({.what = "unknown form of a file of neighbours",
                .file = path.string(),
                .found = in_quotes(ending),
                .expected = ".tsv or .csv"});
  }
  return ending == ".csv";
}

std::string field_of(const NodeNames& names, std::int32_t node, bool commas) {
  if (names.empty()) return std::to_string(node);
  std::string name(names[node]);
  if (!commas) {
    std::ranges::replace_if(
        name, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return name;
  }
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

NeighboursFile::NeighboursFile(const std::filesystem::path& path)
    : commas_(has_commas(path)), file_(path) {
  file_.write(commas_ ? "node,rank,neighbour,score,edge\n"
                      : "node\trank\tneighbour\tscore\tedge\n");
}

void NeighboursFile::add(const Context& context, const NeighbourLists& lists,
                         const NodeNames& names) {
  const char separator = commas_ ? ',' : '\t';
  std::vector<std::string> texts(
      static_cast<std::size_t>((lists.size() + line_grain - 1) / line_grain));
  parallel_for(context, 0, lists.size(), line_grain, [&](std::int64_t first, std::int64_t last) {
    std::string& text = texts[static_cast<std::size_t>(first / line_grain)];
    for (std::int64_t i = first; i < last; ++i) {
      const std::string node = field_of(names, lists.nodes[static_cast<std::size_t>(i)], commas_);
      for (std::int64_t place = 0; place < lists.k; ++place) {
        const std::size_t at = lists.at(i, place);
        if (lists.neighbours[at] < 0) break;
        fmt::format_to(std::back_inserter(text), "{}{}{}{}{}{}{}{}", node, separator, place + 1,
                       separator, field_of(names, lists.neighbours[at], commas_), separator,
                       lists.scores[at], separator);
        if (!lists.edges.empty()) text += lists.edges[at] != 0 ? '1' : '0';
        text += '\n';
      }
    }
  });
  for (const std::string& text : texts) file_.write(std::string_view(text));
}

void NeighboursFile::commit() {
  file_.commit();
}

}  // namespace creg
