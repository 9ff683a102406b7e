#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "io/formats/edge_list.h"
#include "io/split_file.h"
#include "support/compress.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace creg::edge_list_properties_test {
namespace {

using Texts = std::vector<std::string>;

// Any name but one with a line end or a zero byte, which no row can hold.
std::string arbitrary_name() {
  return *rc::gen::suchThat(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::oneOf(
          rc::gen::elementOf(std::string("ab\",; \t#%/-019")), rc::gen::arbitrary<char>()))),
      [](const std::string& name) {
        return name.find_first_of(std::string("\n\r\0", 3)) == std::string::npos;
      });
}

std::string in_csv_quotes(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

EdgeList read(const std::string& text, const EdgeListOptions& options) {
  return read_edge_list(Context({.threads = 2}), Bytes::from_string(text, "edges"), options);
}

RC_GTEST_PROP(EdgeListProperties, QuotedNamesComeBackAsTheyWere, ()) {
  const Texts pool = *rc::gen::nonEmpty(rc::gen::container<Texts>(rc::gen::exec(arbitrary_name)));
  const auto separator =
      *rc::gen::element(Separator::comma, Separator::tab, Separator::semicolon, Separator::space);
  const auto ends = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::elementOf(pool), rc::gen::elementOf(pool)));
  std::string text;
  std::map<std::string, std::int32_t> ids;
  test::Edges expected;
  for (const auto& [u, v] : ends) {
    text += in_csv_quotes(u) + static_cast<char>(separator) + in_csv_quotes(v) + "\n";
    const auto id = [&](const std::string& name) {
      return ids.try_emplace(name, static_cast<std::int32_t>(ids.size())).first->second;
    };
    const std::int32_t source = id(u);
    expected.emplace_back(source, id(v));
  }
  const EdgeListOptions options{.separator = separator, .header = false};
  for (const std::string& form : {text, test::gzip(text)}) {
    const EdgeList list = read(form, options);
    RC_ASSERT(list.nodes == static_cast<std::int64_t>(ids.size()));
    RC_ASSERT(list.edges() == static_cast<std::int64_t>(expected.size()));
    for (std::int64_t e = 0; e < list.edges(); ++e) {
      const auto name = [&](std::int32_t node) {
        return list.names.empty() ? std::to_string(node) : std::string(list.names[node]);
      };
      // By name, because integers alone would be sorted.
      RC_ASSERT(name(list.sources[e]) == ends[static_cast<std::size_t>(e)].first);
      RC_ASSERT(name(list.targets[e]) == ends[static_cast<std::size_t>(e)].second);
    }
  }
}

RC_GTEST_PROP(EdgeListProperties, IntegersAreRankedByValue, ()) {
  const auto id = rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 50),
                                 rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40));
  const auto ends = *rc::gen::container<std::vector<std::pair<std::int64_t, std::int64_t>>>(
      rc::gen::pair(id, id));
  std::string text;
  std::map<std::int64_t, std::int32_t> ranks;
  for (const auto& [u, v] : ends) {
    text += std::to_string(u) + " " + std::to_string(v) + "\n";
    ranks[u] = ranks[v] = 0;
  }
  std::int32_t next = 0;
  for (auto& [value, rank] : ranks) rank = next++;
  const EdgeList list = read(text, {});
  RC_ASSERT(list.nodes == static_cast<std::int64_t>(ranks.size()));
  for (std::size_t e = 0; e < ends.size(); ++e) {
    RC_ASSERT(list.sources[static_cast<std::int64_t>(e)] == ranks.at(ends[e].first));
    RC_ASSERT(list.targets[static_cast<std::int64_t>(e)] == ranks.at(ends[e].second));
  }
  const bool numbered = ranks.empty() || ranks.rbegin()->first + 1 == list.nodes;
  RC_ASSERT(list.names.empty() == numbered);
}

RC_GTEST_PROP(SplitFileProperties, WhatIsWrittenIsRead, ()) {
  const auto parts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4));
  Graph graph = test::path_graph(static_cast<std::int32_t>(parts.size()));
  std::array<std::vector<std::int32_t>, 4> nodes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    nodes[static_cast<std::size_t>(parts[i])].push_back(static_cast<std::int32_t>(i));
  }
  const test::TempDir dir;
  write_split_file(dir / "s.json", graph,
                   {.split = {.train = nodes[0], .val = nodes[1], .test = nodes[2]}});
  const Split back = read_split_file(Context(), map_file(dir / "s.json"), graph).split;
  RC_ASSERT(std::vector<std::int32_t>(back.train.begin(), back.train.end()) == nodes[0]);
  RC_ASSERT(std::vector<std::int32_t>(back.val.begin(), back.val.end()) == nodes[1]);
  RC_ASSERT(std::vector<std::int32_t>(back.test.begin(), back.test.end()) == nodes[2]);
}

}  // namespace
}  // namespace creg::edge_list_properties_test
