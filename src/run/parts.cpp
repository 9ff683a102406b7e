#include "run/parts.h"

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/split_file.h"

namespace creg {
namespace {

constexpr double default_share = 0.7;

const Split& stored_split(const Graph& graph) {
  if (graph.splits.empty()) {
    fail_input({.what = "no stored split to take the parts from",
                .file = graph.name,
                .hint = "--parts by-number takes the first nodes for pretraining"});
  }
  return graph.splits.front();
}

}  // namespace

PretrainParts choose_parts(const Context& context, const Graph& graph, const PartsSpec& spec) {
  std::string parts = spec.parts;
  if (parts.empty()) {
    const bool reddit = graph.name == "reddit" || graph.name.starts_with("synthetic:reddit");
    parts = reddit && !graph.splits.empty() && spec.share == 0 ? "stored-train" : "by-number";
  }
  if (spec.share != 0 && parts != "by-number") {
    fail_input({.what = "--pretrain-share belongs to --parts by-number",
                .file = "--parts",
                .found = parts});
  }
  if (parts == "by-number") {
    return parts_by_number(graph.nodes(), spec.share == 0 ? default_share : spec.share);
  }
  if (parts == "stored-train") return parts_after_training(stored_split(graph), graph.nodes());
  if (!is_there(parts)) {
    fail_input({.what = "unknown parts",
                .file = "--parts",
                .found = in_quotes(parts),
                .expected = "by-number, stored-train, or a split file"});
  }
  return parts_of_split(read_split_file(context, map_file(parts), graph).split, graph.nodes());
}

std::filesystem::path parts_path(const std::filesystem::path& directory) {
  return directory / "parts.json";
}

void keep_parts(const std::filesystem::path& directory, const Graph& graph,
                const PretrainParts& parts) {
  SplitFile file;
  file.protocol = "pretrain-finetune";
  file.split = {.name = file.protocol, .train = parts.train, .val = parts.val, .test = parts.test};
  write_split_file(parts_path(directory), graph, file);
}

PretrainParts kept_parts(const Context& context, const std::filesystem::path& directory,
                         const Graph& graph) {
  const std::filesystem::path path = parts_path(directory);
  if (!is_there(path)) {
    fail_input({.what = "the run was not pretrained on a part of its graph",
                .file = directory.string(),
                .expected = "a folder that creg pretrain wrote, with parts.json in it",
                .hint = "any checkpoint can be fine-tuned with --checkpoint FILE --dataset NAME"});
  }
  return parts_of_split(read_split_file(context, map_file(path), graph).split, graph.nodes());
}

}  // namespace creg
