#include "io/write_graph.h"

#include <fmt/format.h>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/formats/formats.h"

namespace creg {
namespace {

const FormatWriter& writer_for(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  std::vector<std::string_view> known;
  for (const GraphFormat& format : graph_formats()) {
    if (format.writer.write == nullptr) continue;
    if (format.writer.ending == ending) return format.writer;
    known.push_back(format.writer.words);
  }
  fail_input({.what = "unknown form of a graph file",
              .file = path.string(),
              .found = in_quotes(ending),
              .expected = fmt::format("{}", fmt::join(known, ", or "))});
}

}  // namespace

void check_graph_ending(const std::filesystem::path& path) {
  writer_for(path);
}

void write_graph(const Context& context, const std::filesystem::path& path, const Graph& graph,
                 const CregProvenance& provenance) {
  writer_for(path).write(context, path, graph, provenance);
}

}  // namespace creg
