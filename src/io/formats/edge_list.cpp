#include "io/formats/edge_list.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/text/growing_buffer.h"
#include "io/text/id_field.h"
#include "io/text/integer_ids.h"
#include "io/text/table_text.h"
#include "io/text/unknown_ids.h"

namespace creg {
namespace {

constexpr std::int64_t edge_grain = 1 << 18;
constexpr std::size_t least_columns = 2;

constexpr std::array<std::string_view, 31> id_column_names = {
    "source",    "target", "src",    "dst",      "dest",     "from",    "to",   "u",
    "v",         "i",      "j",      "head",     "tail",     "start",   "end",  "node1",
    "node2",     "node_1", "node_2", "id1",      "id2",      "id_1",    "id_2", "source_id",
    "target_id", "src_id", "dst_id", "sourceid", "targetid", "from_id", "to_id"};
constexpr std::array<std::string_view, 2> snap_column_names = {"fromnodeid", "tonodeid"};

// What the first rows say about all of them.
struct EdgeShape {
  Separator separator;
  std::size_t columns;
  bool weighted;
  bool integers;  // of the first data row; the others may still surprise
  std::int64_t skip;
};

bool names_an_id_column(const std::string& field) {
  const std::string name = lower_case(field);
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(id_column_names) || among(snap_column_names);
}

bool is_edge_header(const RowFields& first, const RowFields& second) {
  if (first.size() < least_columns) return false;
  if (names_an_id_column(first[0]) && names_an_id_column(first[1])) return true;
  return second.size() >= least_columns && !looks_numeric(first[0]) && !looks_numeric(first[1]) &&
         is_plain_integer(second[0]) && is_plain_integer(second[1]);
}

EdgeShape edge_shape(const Context& context, const Bytes& bytes, const EdgeListOptions& options) {
  const TableHead head = read_table_head(
      context, bytes, {.separator = options.separator, .header = options.header}, is_edge_header);
  const RowFields& row = head.row;
  const bool has_ids = row.size() >= least_columns;
  return {.separator = head.separator,
          .columns = std::max(least_columns, row.size()),
          .weighted = row.size() > least_columns && looks_numeric(row[2]),
          .integers = !has_ids || (is_plain_integer(row[0]) && is_plain_integer(row[1])),
          .skip = head.skip};
}

[[noreturn]] void fail_columns(const TextBlock& block, const EdgeShape& shape, const char* at,
                               std::size_t found) {
  const bool too_few = shape.columns == least_columns && found < least_columns;
  block.fail(at, {.what = too_few ? "an edge needs two ids" : "a row of another length",
                  .found = std::to_string(found) + (found == 1 ? " column" : " columns"),
                  .expected = std::to_string(shape.columns) + " columns, separated by " +
                              separator_name(shape.separator)});
}

float parse_weight(const TextBlock& block, const Field& field) {
  const std::optional<float> weight = parse_finite(field.text);
  if (!weight) block.fail(field.at, number_error(field.text, "a weight"));
  if (*weight < 0) {
    block.fail(field.at, {.what = "a negative weight",
                          .found = in_quotes(field.text),
                          .expected = "0 or more",
                          .hint = "leave the column out to read the edges without weights"});
  }
  return *weight;
}

// The edges of one block before they have their place among all.
struct BlockEdges {
  std::vector<std::int32_t> sources;  // node numbers, or local numbers of names
  std::vector<std::int32_t> targets;
  std::vector<float> weights;
  bool all_weights_one = true;
  std::deque<std::string> unescaped;

  void clear() {
    sources.clear();
    targets.clear();
    weights.clear();
    all_weights_one = true;
    unescaped.clear();
  }
};

// Without the edges that have an end without a number.
void leave_out_unknown(BlockEdges& edges) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < edges.sources.size(); ++e) {
    if (edges.sources[e] < 0 || edges.targets[e] < 0) continue;
    edges.sources[kept] = edges.sources[e];
    edges.targets[kept] = edges.targets[e];
    if (!edges.weights.empty()) edges.weights[kept] = edges.weights[e];
    ++kept;
  }
  edges.sources.resize(kept);
  edges.targets.resize(kept);
  if (!edges.weights.empty()) edges.weights.resize(kept);
}

// Of an id in one of the two first columns.
std::string place_of_id(const TextBlock& block, const char* at) {
  const std::string_view before(block.text().data(),
                                static_cast<std::size_t>(at - block.text().data()));
  const std::string_view in_line = before.substr(before.find_last_of('\n') + 1);
  const bool first = in_line.find_first_not_of(" \"") == std::string_view::npos;
  return "line " + std::to_string(block.line(at)) + ", column " + (first ? "1" : "2");
}

// Adds every row of the block to `edges`; number_of(field) gives an id its number.
template <class NumberOf>
void parse_edges(const TextBlock& block, const EdgeShape& shape, BlockEdges& edges,
                 const NumberOf& number_of) {
  const auto parse = [&](std::string_view line, FieldReader& reader) {
    Field source;
    Field target;
    Field other;
    std::size_t columns = 0;
    float weight = 1;
    if (reader.next(source)) ++columns;
    if (reader.next(target)) ++columns;
    if (columns == least_columns) {
      while (reader.next(other)) {
        ++columns;
        if (other.problem != nullptr) block.fail(other.at, {.what = other.problem});
        if (columns == 3 && shape.weighted) weight = parse_weight(block, other);
      }
    }
    check_id_field(block, source);
    if (columns >= least_columns) check_id_field(block, target);
    if (columns != shape.columns) fail_columns(block, shape, line.data(), columns);
    edges.sources.push_back(number_of(source));
    edges.targets.push_back(number_of(target));
    if (!shape.weighted) return;
    edges.weights.push_back(weight);
    if (weight != 1) edges.all_weights_one = false;
  };
  for_each_row(block, shape.separator, edges.unescaped, parse);
}

class EdgeCollector {
 public:
  EdgeCollector(const Context& context, const Bytes& bytes, const EdgeListOptions& options)
      : context_(context),
        bytes_(bytes),
        shape_(edge_shape(context, bytes, options)),
        expected_(options.expected_edges),
        sources_(bytes.name),
        targets_(bytes.name),
        weights_(bytes.name) {}

  const EdgeShape& shape() const { return shape_; }
  std::span<std::int32_t> sources() {
    return {sources_.data(), static_cast<std::size_t>(sources_.size())};
  }
  std::span<std::int32_t> targets() {
    return {targets_.data(), static_cast<std::size_t>(targets_.size())};
  }

  /// Ids are the numbers 0..bound-1. False when one is not and `strict` is not set; with it that is
  /// an error.
  bool read_numbers(std::int64_t bound, bool strict) {
    start();
    std::atomic<bool> all_numbers = true;
    const auto parse_id = [&](const TextBlock& block, const Field& field) -> std::int32_t {
      const auto id = parse_plain_integer(field.text, bound - 1);
      if (id) return static_cast<std::int32_t>(*id);
      if (strict) fail_row_number(block, field, bound);
      all_numbers.store(false, std::memory_order_relaxed);
      return 0;
    };
    return read_parts<BlockEdges>(
        context_, bytes_, {.skip = shape_.skip, .separator = shape_.separator},
        [&](const TextBlock& block, BlockEdges& edges) {
          if (!all_numbers.load(std::memory_order_relaxed)) return;
          parse_edges(block, shape_, edges,
                      [&](const Field& field) { return parse_id(block, field); });
        },
        [&](std::span<const TextBlock> blocks, std::span<BlockEdges> edges) {
          if (!all_numbers.load()) return false;
          append(blocks, edges);
          return true;
        });
  }

  /// Ids are names, which number(blocks, names) numbers; edges of those that get none are left out.
  template <class Number>
  void read_names(const Number& number) {
    start();
    read_parts<BlockEdges, LocalNames>(
        context_, bytes_, {.skip = shape_.skip, .separator = shape_.separator},
        [&](const TextBlock& block, BlockEdges& edges, LocalNames& names) {
          parse_edges(block, shape_, edges, [&](const Field& field) {
            return static_cast<std::int32_t>(add_id(block, names, field));
          });
        },
        [&](std::span<const TextBlock> blocks, std::span<BlockEdges> edges,
            std::span<LocalNames> names) {
          number(blocks, names);
          for_blocks(context_, blocks, [&](std::size_t b) {
            const auto node = [&](std::int32_t local) {
              return names[b].id(static_cast<std::uint32_t>(local));
            };
            for (std::int32_t& source : edges[b].sources) source = node(source);
            for (std::int32_t& target : edges[b].targets) target = node(target);
            leave_out_unknown(edges[b]);
          });
          append(blocks, edges);
          return true;
        });
  }

  EdgeList take() {
    EdgeList list;
    list.sources = sources_.take();
    list.targets = targets_.take();
    Array<float> weights = weights_.take();
    if (!all_weights_one_) list.weights = std::move(weights);
    return list;
  }

 private:
  [[noreturn]] static void fail_row_number(const TextBlock& block, const Field& field,
                                           std::int64_t bound) {
    const bool number = is_plain_integer(field.text);
    block.fail(field.at,
               {.what = number ? "node id out of range" : "a node id is not a row number",
                .found = in_quotes(field.text),
                .expected = bound > 0 ? "0 to " + std::to_string(bound - 1) : "no edges"});
  }

  // Forgets what an earlier try has read.
  void start() {
    take();
    all_weights_one_ = true;
    if (expected_ > 0) reserve(expected_);
  }

  void append(std::span<const TextBlock> blocks, std::span<BlockEdges> edges) {
    if (sources_.size() == 0 && expected_ == 0) {
      std::int64_t count = 0;
      for (const BlockEdges& part : edges) count += static_cast<std::int64_t>(part.sources.size());
      reserve(expected_in_all(bytes_, blocks, count));
    }
    append_parts(context_, edges, &BlockEdges::sources, sources_);
    append_parts(context_, edges, &BlockEdges::targets, targets_);
    append_parts(context_, edges, &BlockEdges::weights, weights_);
    for (const BlockEdges& part : edges) {
      all_weights_one_ = all_weights_one_ && part.all_weights_one;
    }
  }

  void reserve(std::int64_t edges) {
    sources_.reserve(edges);
    targets_.reserve(edges);
    if (shape_.weighted) weights_.reserve(edges);
  }

  const Context& context_;
  const Bytes& bytes_;
  EdgeShape shape_;
  std::int64_t expected_;
  GrowingBuffer<std::int32_t> sources_;
  GrowingBuffer<std::int32_t> targets_;
  GrowingBuffer<float> weights_;
  bool all_weights_one_ = true;
};

}  // namespace

EdgeList read_numbered_edges(const Context& context, const Bytes& bytes,
                             const EdgeListOptions& options, std::int64_t nodes) {
  EdgeCollector collector(context, bytes, options);
  collector.read_numbers(nodes, true);
  EdgeList list = collector.take();
  list.nodes = nodes;
  return list;
}

EdgeList read_named_edges(const Context& context, const Bytes& bytes,
                          const EdgeListOptions& options, NodeIndex& index) {
  EdgeCollector collector(context, bytes, options);
  collector.read_names([&](std::span<const TextBlock>, std::span<LocalNames> names) {
    index.add(context, names, bytes.name);
  });
  EdgeList list = collector.take();
  list.nodes = index.size();
  return list;
}

EdgeList read_known_edges(const Context& context, const Bytes& bytes,
                          const EdgeListOptions& options, NodeIndex& index, UnknownIds unknown) {
  EdgeCollector collector(context, bytes, options);
  UnknownIdList strangers;
  std::unordered_set<std::string> seen;
  collector.read_names([&](std::span<const TextBlock> blocks, std::span<LocalNames> names) {
    index.find(context, names);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (const LocalNames::Name& name : names[b].names()) {
        if (name.id >= 0 || !seen.emplace(name.text()).second) continue;
        strangers.add(name.text(), [&] { return place_of_id(blocks[b], name.at); });
      }
    }
  });
  strangers.settle(context, unknown, [&] {
    return UnknownIdList::Words{
        .file = bytes.name,
        .column = {},
        .expected = "one of the " + with_commas(index.size()) + " ids that have features",
        .hint = nearest_name_hint(index.names(context), strangers.first())};
  });
  EdgeList list = collector.take();
  list.nodes = index.size();
  return list;
}

EdgeList read_edge_list(const Context& context, const Bytes& bytes,
                        const EdgeListOptions& options) {
  EdgeCollector collector(context, bytes, options);
  if (collector.shape().integers && collector.read_numbers(max_nodes, false)) {
    IntegerIds ids = rank_integer_ids(context, collector.sources(), collector.targets());
    EdgeList list = collector.take();
    list.nodes = ids.nodes;
    list.names = std::move(ids.names);
    return list;
  }
  NodeIndex index;
  collector.read_names([&](std::span<const TextBlock>, std::span<LocalNames> names) {
    index.add(context, names, bytes.name);
  });
  EdgeList list = collector.take();
  list.nodes = index.size();
  if (!index.all_integers()) {
    list.names = index.names(context);
    return list;
  }
  const std::vector<std::int32_t> ranks = index.numeric_ranks(context);
  list = renumber(context, std::move(list), ranks);
  list.names = reorder_names(index.names(context), ranks);
  return list;
}

EdgeList renumber(const Context& context, EdgeList list, std::span<const std::int32_t> ranks) {
  const auto apply = [&](const Array<std::int32_t>& ids) -> Array<std::int32_t> {
    Buffer<std::int32_t> out(ids.size());
    parallel_for(context, 0, ids.size(), edge_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t e = first; e < last; ++e) {
        out[e] = ranks[static_cast<std::size_t>(ids[e])];
      }
    });
    return out;
  };
  list.sources = apply(list.sources);
  list.targets = apply(list.targets);
  return list;
}

CsrMatrix edges_to_csr(const Context& context, const EdgeList& list) {
  return csr_from_entries(context, list.nodes, list.nodes, list.sources.span(), list.targets.span(),
                          list.weights.span());
}

}  // namespace creg
