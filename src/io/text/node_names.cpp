#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "io/text/node_index.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

constexpr std::int64_t names_at_once = 1 << 14;

}  // namespace

NodeIndex index_names(const Context& context, const NodeNames& names) {
  const std::int64_t count = (names.size() + names_at_once - 1) / names_at_once;
  std::vector<LocalNames> blocks(static_cast<std::size_t>(count));
  parallel_for(context, 0, names.size(), names_at_once, [&](std::int64_t first, std::int64_t last) {
    LocalNames& block = blocks[static_cast<std::size_t>(first / names_at_once)];
    for (std::int64_t i = first; i < last; ++i) {
      if (names[i].size() <= max_name_bytes) block.add(names[i], names[i].data());
    }
  });
  NodeIndex index;
  index.add(context, blocks, "names");
  return index;
}

NodeNames reorder_names(const NodeNames& names, std::span<const std::int32_t> ranks) {
  Buffer<std::int64_t> offsets(names.size() + 1);
  offsets[0] = 0;
  for (std::int64_t i = 0; i < names.size(); ++i) {
    offsets[ranks[static_cast<std::size_t>(i)] + 1] = static_cast<std::int64_t>(names[i].size());
  }
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  Buffer<char> characters(offsets[names.size()]);
  for (std::int64_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    std::copy(name.begin(), name.end(),
              characters.data() + offsets[ranks[static_cast<std::size_t>(i)]]);
  }
  return {std::move(offsets), std::move(characters)};
}

bool names_are_row_numbers(const NodeNames& names) {
  for (std::int64_t i = 0; i < names.size(); ++i) {
    if (parse_plain_integer(names[i], max_nodes) != i) return false;
  }
  return true;
}

std::string nearest_name_hint(const NodeNames& all, std::string_view name) {
  constexpr std::int64_t most_names = 100000;
  constexpr std::size_t longest = 100;
  if (name.size() > longest) return {};
  std::vector<std::string> candidates;
  for (std::int64_t i = 0; i < std::min(all.size(), most_names); ++i) {
    if (all[i].size() <= longest) candidates.emplace_back(all[i]);
  }
  std::vector<std::string> near = nearest_names(name, candidates);
  if (near.empty()) return {};
  for (std::string& found : near) found = in_quotes(found);
  return "did you mean " + join_words(near, " or ") + "?";
}

}  // namespace creg
