#include "io/formats/edge_list.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/containers/inflate.h"
#include "io/text/growing_buffer.h"
#include "io/text/id_field.h"
#include "io/text/integer_ids.h"
#include "io/text/text_blocks.h"

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
  Separator separator = Separator::comma;
  std::size_t columns = least_columns;
  bool weighted = false;
  bool integers = true;  // of the first data row; the others may still surprise
  std::int64_t skip = 0;
};

bool names_an_id_column(const std::string& field) {
  const std::string name = lower_case(field);
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(id_column_names) || among(snap_column_names);
}

bool is_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first.size() < least_columns) return false;
  if (names_an_id_column(first[0]) && names_an_id_column(first[1])) return true;
  return second.size() >= least_columns && !looks_numeric(first[0]) && !looks_numeric(first[1]) &&
         is_plain_integer(second[0]) && is_plain_integer(second[1]);
}

EdgeShape detect_shape(const Context& context, const Bytes& bytes, const EdgeListOptions& options) {
  const TextHead head = read_head(bytes, 2);
  EdgeShape shape;
  if (head.rows.empty()) return shape;
  const auto separator_of = [&](const TextHead::Row& row) {
    return options.separator == Separator::automatic ? detect_separator(row.text)
                                                     : options.separator;
  };
  // With a header in question the row behind it is the safer witness.
  shape.separator = separator_of(head.rows.back());
  std::vector<std::string> first = split_row(head.rows[0].text, shape.separator);
  std::vector<std::string> second;
  if (head.rows.size() > 1) second = split_row(head.rows[1].text, shape.separator);
  const bool header = options.header.value_or(is_header(first, second));
  shape.skip = header ? head.rows[0].end : head.rows[0].begin;
  if (header && !options.header) {
    context.log().write(LogLevel::info, bytes.name + ": the first row " +
                                            in_quotes(head.rows[0].text) + " is taken as a header");
  }
  if (!header) {
    shape.separator = separator_of(head.rows[0]);
    first = split_row(head.rows[0].text, shape.separator);
  }
  const std::vector<std::string>& data = header ? second : first;
  shape.columns = std::max(least_columns, data.size());
  shape.weighted = data.size() > least_columns && looks_numeric(data[2]);
  shape.integers =
      data.size() < least_columns || (is_plain_integer(data[0]) && is_plain_integer(data[1]));
  return shape;
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

// Calls visit(source field, target field, weight) for every row of the block.
template <class Visit>
void for_each_edge(const TextBlock& block, const EdgeShape& shape,
                   std::deque<std::string>& unescaped, const Visit& visit) {
  for_each_line(block.text(), [&](std::string_view line) {
    if (is_blank_or_comment(line)) return;
    FieldReader reader(line, shape.separator, unescaped);
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
    visit(source, target, weight);
  });
}

// The edges of one block before they have their place among all.
struct BlockEdges {
  std::vector<std::uint32_t> ends;  // source, target, source, …: node numbers or local numbers
  std::vector<float> weights;
  std::deque<std::string> unescaped;

  void clear() {
    ends.clear();
    weights.clear();
    unescaped.clear();
  }
};

class EdgeCollector {
 public:
  EdgeCollector(const Context& context, const Bytes& bytes, const EdgeListOptions& options)
      : context_(context),
        bytes_(bytes),
        shape_(detect_shape(context, bytes, options)),
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

  /// Ids are the numbers 0..bound-1. False, with nothing kept, when one is not and `strict` is not
  /// set; with it that is an error.
  bool read_numbers(std::int64_t bound, bool strict) {
    std::atomic<bool> all_numbers = true;
    const auto parse_id = [&](const TextBlock& block, const Field& field) -> std::uint32_t {
      const auto id = parse_plain_integer(field.text, bound - 1);
      if (id) return static_cast<std::uint32_t>(*id);
      if (strict) fail_row_number(block, field, bound);
      all_numbers.store(false, std::memory_order_relaxed);
      return 0;
    };
    const bool whole = read([&](std::span<const TextBlock> blocks, std::span<BlockEdges> parts) {
      for_blocks(context_, blocks, [&](std::size_t b) {
        if (!all_numbers.load(std::memory_order_relaxed)) return;
        for_each_edge(blocks[b], shape_, parts[b].unescaped,
                      [&](const Field& source, const Field& target, float weight) {
                        parts[b].ends.push_back(parse_id(blocks[b], source));
                        parts[b].ends.push_back(parse_id(blocks[b], target));
                        if (shape_.weighted) parts[b].weights.push_back(weight);
                      });
      });
      return all_numbers.load();
    });
    if (!whole) forget();
    return whole;
  }

  /// Ids are names of the index.
  void read_names(NodeIndex& index, bool known_only) {
    read([&](std::span<const TextBlock> blocks, std::span<BlockEdges> parts) {
      if (names_.size() < blocks.size()) names_.resize(blocks.size());
      const std::span names(names_.data(), blocks.size());
      for_blocks(context_, blocks, [&](std::size_t b) {
        names[b].clear();
        for_each_edge(blocks[b], shape_, parts[b].unescaped,
                      [&](const Field& source, const Field& target, float weight) {
                        parts[b].ends.push_back(add_id(blocks[b], names[b], source));
                        parts[b].ends.push_back(add_id(blocks[b], names[b], target));
                        if (shape_.weighted) parts[b].weights.push_back(weight);
                      });
      });
      number_names(context_, index, known_only, blocks, names, bytes_.name);
      for_blocks(context_, blocks, [&](std::size_t b) {
        for (std::uint32_t& end : parts[b].ends) {
          end = static_cast<std::uint32_t>(names[b].id(end));
        }
      });
      return true;
    });
  }

  EdgeList take() {
    EdgeList list;
    list.sources = sources_.take();
    list.targets = targets_.take();
    const bool plain = all_weights_one_ || !shape_.weighted;
    if (!plain) list.weights = weights_.take();
    return list;
  }

 private:
  using Parse = std::function<bool(std::span<const TextBlock>, std::span<BlockEdges>)>;

  [[noreturn]] static void fail_row_number(const TextBlock& block, const Field& field,
                                           std::int64_t bound) {
    const bool number = is_plain_integer(field.text);
    block.fail(field.at,
               {.what = number ? "node id out of range" : "a node id is not a row number",
                .found = in_quotes(field.text),
                .expected = bound > 0 ? "0 to " + std::to_string(bound - 1) : "no edges"});
  }

  // Parses batch by batch and appends the edges of each in order.
  bool read(const Parse& parse) {
    if (expected_ > 0) reserve(expected_);
    return for_each_batch(context_, bytes_, {.skip = shape_.skip},
                          [&](std::span<const TextBlock> blocks) {
                            if (parts_.size() < blocks.size()) parts_.resize(blocks.size());
                            const std::span parts(parts_.data(), blocks.size());
                            for (BlockEdges& part : parts) part.clear();
                            if (!parse(blocks, parts)) return false;
                            append(blocks, parts);
                            return true;
                          });
  }

  void append(std::span<const TextBlock> blocks, std::span<BlockEdges> parts) {
    std::vector<std::int64_t> begin(parts.size() + 1, 0);
    std::size_t text_bytes = 0;
    for (std::size_t b = 0; b < parts.size(); ++b) {
      begin[b + 1] = begin[b] + static_cast<std::int64_t>(parts[b].ends.size() / 2);
      text_bytes += blocks[b].text().size();
    }
    if (sources_.size() == 0 && expected_ == 0 && !is_gzip(bytes_)) {
      // The first batch tells how many edges a byte holds, so the whole can be set aside at once.
      const double share = static_cast<double>(bytes_.size()) / static_cast<double>(text_bytes);
      reserve(static_cast<std::int64_t>(static_cast<double>(begin.back()) * share * 1.02));
    }
    std::int32_t* sources = sources_.extend(begin.back());
    std::int32_t* targets = targets_.extend(begin.back());
    float* weights = shape_.weighted ? weights_.extend(begin.back()) : nullptr;
    std::atomic<bool> ones = true;
    parallel_tasks(context_, static_cast<std::int64_t>(parts.size()), [&](std::int64_t piece) {
      const auto b = static_cast<std::size_t>(piece);
      const std::vector<std::uint32_t>& ends = parts[b].ends;
      for (std::size_t e = 0; e < ends.size() / 2; ++e) {
        sources[begin[b] + static_cast<std::int64_t>(e)] = static_cast<std::int32_t>(ends[2 * e]);
        targets[begin[b] + static_cast<std::int64_t>(e)] =
            static_cast<std::int32_t>(ends[2 * e + 1]);
      }
      if (weights == nullptr) return;
      std::copy(parts[b].weights.begin(), parts[b].weights.end(), weights + begin[b]);
      if (std::any_of(parts[b].weights.begin(), parts[b].weights.end(),
                      [](float w) { return w != 1; })) {
        ones.store(false, std::memory_order_relaxed);
      }
    });
    all_weights_one_ = all_weights_one_ && ones;
  }

  void reserve(std::int64_t edges) {
    sources_.reserve(edges);
    targets_.reserve(edges);
    if (shape_.weighted) weights_.reserve(edges);
  }

  void forget() {
    sources_.take();
    targets_.take();
    weights_.take();
    all_weights_one_ = true;
  }

  const Context& context_;
  const Bytes& bytes_;
  EdgeShape shape_;
  std::int64_t expected_;
  std::vector<BlockEdges> parts_;
  std::vector<LocalNames> names_;
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
                          const EdgeListOptions& options, NodeIndex& index, bool known_only) {
  EdgeCollector collector(context, bytes, options);
  collector.read_names(index, known_only);
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
  collector.read_names(index, false);
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
