#include "io/formats/wiki_tadw.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/formats/edge_list.h"
#include "io/formats/empty_files.h"
#include "io/text/table_text.h"

namespace creg {
namespace {

// The next field of a row as a whole number of 0 to largest.
std::int32_t next_number(const TextBlock& block, FieldReader& reader, std::string_view line,
                         std::int64_t largest, const char* what) {
  Field field;
  if (!reader.next(field)) {
    block.fail(line.data() + line.size(),
               {.what = std::string(what) + " is missing", .found = in_quotes(line)});
  }
  const std::optional<std::int64_t> number = parse_plain_integer(field.text, largest);
  if (!number) {
    block.fail(field.at, {.what = std::string(what) + " out of range, or not a number",
                          .found = in_quotes(field.text),
                          .expected = "0 to " + std::to_string(largest)});
  }
  return static_cast<std::int32_t>(*number);
}

void expect_end(const TextBlock& block, FieldReader& reader) {
  Field field;
  if (!reader.next(field)) return;
  block.fail(field.at, {.what = "a row with too many columns", .found = in_quotes(field.text)});
}

struct WikiLabels {
  Array<std::int32_t> labels;
  std::vector<std::string> names;
};

// Small, so in one go: the ids must count up from 0.
WikiLabels read_group(const Context& context, const Bytes& bytes) {
  std::vector<std::int32_t> stored;
  for_each_batch(
      context, bytes, {.separator = Separator::space}, [&](std::span<const TextBlock> blocks) {
        for (const TextBlock& block : blocks) {
          std::deque<std::string> unescaped;
          const auto parse = [&](std::string_view line, FieldReader& reader) {
            const std::int32_t id = next_number(block, reader, line, max_nodes - 1, "a node id");
            if (id != static_cast<std::int64_t>(stored.size())) {
              block.fail(line.data(), {.what = "nodes are not in order",
                                       .found = std::to_string(id),
                                       .expected = std::to_string(stored.size())});
            }
            stored.push_back(next_number(block, reader, line, max_nodes - 1, "a label"));
            expect_end(block, reader);
          };
          for_each_row(block, Separator::space, unescaped, parse);
        }
        return true;
      });
  std::vector<std::int32_t> distinct = stored;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  WikiLabels result;
  for (const std::int32_t label : distinct) result.names.push_back(std::to_string(label));
  for (std::int32_t& label : stored) {
    label = static_cast<std::int32_t>(std::lower_bound(distinct.begin(), distinct.end(), label) -
                                      distinct.begin());
  }
  result.labels = std::move(stored);
  return result;
}

// The entries of one block of tfidf.txt.
struct TfidfRows {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  const char* first = nullptr;
  std::deque<std::string> unescaped;

  void clear() {
    rows.clear();
    columns.clear();
    values.clear();
    first = nullptr;
    unescaped.clear();
  }
};

[[noreturn]] void fail_order(const TextBlock& block, const char* at) {
  block.fail(at, {.what = "entries are not in order, or one is there twice",
                  .expected = "nodes that ascend, within a node feature numbers that ascend"});
}

void parse_tfidf(const TextBlock& block, std::int64_t nodes, TfidfRows& part) {
  const auto parse = [&](std::string_view line, FieldReader& reader) {
    const std::int32_t row = next_number(block, reader, line, nodes - 1, "a row");
    const std::int32_t column = next_number(block, reader, line, max_nodes - 1, "a feature number");
    Field field;
    const bool there = reader.next(field);
    const std::optional<float> value = there ? parse_finite(field.text) : std::nullopt;
    if (!there) {
      block.fail(line.data() + line.size(),
                 {.what = "a value is missing", .found = in_quotes(line)});
    }
    if (!value) block.fail(field.at, number_error(field.text, "a value"));
    expect_end(block, reader);
    if (part.first == nullptr) {
      part.first = line.data();
    } else if (std::pair(row, column) <= std::pair(part.rows.back(), part.columns.back())) {
      fail_order(block, line.data());
    }
    part.rows.push_back(row);
    part.columns.push_back(column);
    part.values.push_back(*value);
  };
  for_each_row(block, Separator::space, part.unescaped, parse);
}

CsrMatrix read_tfidf(const Context& context, const Bytes& bytes, std::int64_t nodes) {
  GrowingBuffer<std::int32_t> columns(bytes.name);
  GrowingBuffer<float> values(bytes.name);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  std::pair<std::int32_t, std::int32_t> last = {-1, -1};
  std::int32_t largest_column = -1;
  std::int64_t text_bytes = 0;
  const auto join = [&](std::span<const TextBlock> blocks, std::span<const TfidfRows> parts) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const TfidfRows& part = parts[b];
      text_bytes += static_cast<std::int64_t>(blocks[b].text().size());
      if (part.rows.empty()) continue;
      if (std::pair(part.rows.front(), part.columns.front()) <= last) {
        fail_order(blocks[b], part.first);
      }
      last = {part.rows.back(), part.columns.back()};
      const auto count = static_cast<std::int64_t>(part.rows.size());
      std::copy(part.columns.begin(), part.columns.end(), columns.extend(count));
      std::copy(part.values.begin(), part.values.end(), values.extend(count));
      for (const std::int32_t row : part.rows) ++offsets[static_cast<std::size_t>(row) + 1];
      largest_column =
          std::max(largest_column, *std::max_element(part.columns.begin(), part.columns.end()));
    }
    return true;
  };
  read_parts<TfidfRows>(
      context, bytes, {.separator = Separator::space},
      [&](const TextBlock& block, TfidfRows& part) { parse_tfidf(block, nodes, part); }, join);
  // Later steps hold something for every column, so their number must be one the text warrants.
  constexpr std::int64_t free_columns = 1 << 20;
  if (largest_column > text_bytes + free_columns) {
    fail_input({.what = "a feature number far beyond what the file holds",
                .file = bytes.name,
                .found = std::to_string(largest_column),
                .expected = "at most " + std::to_string(text_bytes + free_columns)});
  }
  for (std::size_t r = 1; r < offsets.size(); ++r) offsets[r] += offsets[r - 1];
  return {.rows = nodes,
          .cols = std::int64_t{largest_column} + 1,
          .offsets = std::move(offsets),
          .columns = columns.take(),
          .values = values.take()};
}

}  // namespace

Graph read_wiki(const Context& context, const WikiFiles& files, const ReadOptions& reading) {
  Graph graph;
  graph.name = "wiki";
  graph.directed = true;
  WikiLabels labels = read_group(context, files.group);
  const std::int64_t nodes = labels.labels.size();
  if (nodes == 0) {
    fail_input({.what = "no nodes", .file = files.group.name, .expected = "one line per node"});
  }
  graph.labels = std::move(labels.labels);
  graph.class_names = std::move(labels.names);
  graph.adjacency = edges_to_csr(
      context, read_numbered_edges(context, files.graph,
                                   {.separator = Separator::space, .header = false}, nodes));
  graph.features = read_tfidf(context, files.tfidf, nodes);
  refuse_empty(reading, graph.adjacency.nonzeros(), "edges", files.graph.name);
  refuse_empty(reading, feature_cols(graph.features), "features", files.tfidf.name);
  validate(graph, files.graph.name);
  return graph;
}

Graph read_wiki(const Context& context, const std::filesystem::path& folder,
                const ReadOptions& reading) {
  return read_wiki(context,
                   {.graph = map_file(folder / "graph.txt"),
                    .group = map_file(folder / "group.txt"),
                    .tfidf = map_file(folder / "tfidf.txt")},
                   reading);
}

}  // namespace creg
