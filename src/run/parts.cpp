#include "run/parts.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/split_file.h"

namespace creg {
namespace {

constexpr double default_share = 0.7;
constexpr std::string_view by_number = "by-number";
constexpr std::string_view stored_train = "stored-train";

const Split& stored_split(const Graph& graph) {
  if (graph.splits.empty()) {
    fail_input({.what = "no stored split to take the parts from",
                .file = graph.name,
                .hint = "--parts by-number takes the first nodes for pretraining"});
  }
  return graph.splits.front();
}

}  // namespace

PartsSpec settle_parts(const std::string& graph, bool has_splits, PartsSpec spec) {
  if (spec.parts.empty()) {
    const bool reddit = graph == "reddit" || graph.starts_with("synthetic:reddit");
    spec.parts = reddit && has_splits && spec.share == 0 ? stored_train : by_number;
  }
  if (spec.share != 0 && spec.parts != by_number) {
    fail_input({.what = "--pretrain-share belongs to --parts by-number",
                .file = "--parts",
                .found = spec.parts});
  }
  if (spec.parts == by_number) {
    if (spec.share == 0) spec.share = default_share;
  } else if (spec.parts != stored_train) {
    if (!is_there(spec.parts)) {
      fail_input({.what = "unknown parts",
                  .file = "--parts",
                  .found = in_quotes(spec.parts),
                  .expected = "by-number, stored-train, or a split file"});
    }
    spec.parts = std::filesystem::absolute(spec.parts).lexically_normal().string();
  }
  return spec;
}

std::int64_t count_pretrain(const PartsSpec& spec, std::int64_t nodes) {
  if (spec.parts == by_number) return parts_by_number(nodes, spec.share).pretrain.size();
  // Reddit's stored training part has 66 % of the nodes.
  if (spec.parts == stored_train) return std::max<std::int64_t>(nodes * 66 / 100, 1);
  // A node of the other parts is followed by a comma, but for the last ones.
  const Bytes file = map_file(spec.parts);
  const std::string_view text = file.text();
  return std::max<std::int64_t>(nodes - std::count(text.begin(), text.end(), ','), 1);
}

PretrainParts choose_parts(const Context& context, const Graph& graph, const PartsSpec& spec) {
  const PartsSpec settled = settle_parts(graph.name, !graph.splits.empty(), spec);
  if (settled.parts == by_number) return parts_by_number(graph.nodes(), settled.share);
  if (settled.parts == stored_train) {
    return parts_after_training(stored_split(graph), graph.nodes());
  }
  const SplitFile file = read_split_file(context, map_file(settled.parts), graph);
  return parts_of_split(file.split, graph.nodes());
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
