#include "io/formats/node_table.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/npz.h"
#include "io/formats/class_names.h"
#include "io/formats/graph_arrays.h"
#include "io/formats/number_rows.h"
#include "io/formats/scipy_sparse.h"
#include "io/npy.h"
#include "io/text/id_field.h"
#include "io/text/table_text.h"
#include "io/text/unknown_ids.h"

namespace creg {
namespace {

constexpr std::array<std::string_view, 8> id_names = {"",       "id",   "node",  "node_id",
                                                      "nodeid", "name", "index", "key"};
constexpr std::array<std::string_view, 7> label_names = {"label", "labels", "class", "category",
                                                         "group", "target", "y"};

bool among(std::span<const std::string_view> names, const std::string& field) {
  return std::find(names.begin(), names.end(), lower_case(field)) != names.end();
}

bool is_feature_header(const RowFields& first, const RowFields& second) {
  if (among(id_names, first[0])) return true;
  const auto values = std::span(first).subspan(1);
  if (values.empty()) return false;
  if (std::none_of(values.begin(), values.end(), looks_numeric)) return true;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c] != std::to_string(c)) return false;
  }
  return !second.empty() && !looks_numeric(first[0]) && is_plain_integer(second[0]);
}

bool is_label_header(const RowFields& first, const RowFields& second) {
  if (among(id_names, first[0])) return true;
  if (first.size() > 1 && among(label_names, first[1])) return true;
  return !second.empty() && !looks_numeric(first[0]) && is_plain_integer(second[0]);
}

constexpr auto no_label = static_cast<std::uint32_t>(-1);
constexpr auto no_node = static_cast<std::uint32_t>(-1);

// The label rows of one block.
struct LabelRows {
  std::vector<std::uint32_t> nodes;    // node numbers or no_node, or local numbers of ids
  std::vector<std::uint32_t> classes;  // local numbers of labels, or no_label
  std::vector<const char*> at;
  std::vector<std::string> strangers;  // the ids of the rows with no_node
  std::deque<std::string> unescaped;

  void clear() {
    nodes.clear();
    classes.clear();
    at.clear();
    strangers.clear();
    unescaped.clear();
  }
};

class LabelReader {
 public:
  // Without an index ids are the numbers 0..nodes-1.
  LabelReader(const Context& context, const Bytes& bytes, const TableOptions& options,
              NodeIndex* index, bool known_only, std::int64_t nodes)
      : context_(context),
        bytes_(bytes),
        head_(read_table_head(context, bytes, options, is_label_header)),
        index_(index),
        known_only_(known_only),
        nodes_(nodes),
        unknown_ids_(options.unknown_ids) {}

  NodeLabels run() {
    read_parts<LabelRows, LocalNames, LocalNames>(
        context_, bytes_, {.skip = head_.skip, .separator = head_.separator},
        [&](const TextBlock& block, LabelRows& rows, LocalNames& ids, LocalNames& labels) {
          for_each_row(block, head_.separator, rows.unescaped,
                       [&](std::string_view line, FieldReader& reader) {
                         parse(block, line, reader, rows, ids, labels);
                       });
        },
        [&](std::span<const TextBlock> blocks, std::span<LabelRows> rows, std::span<LocalNames> ids,
            std::span<LocalNames> labels) {
          take(blocks, rows, ids, labels);
          return true;
        });
    found_.resize(static_cast<std::size_t>(index_ != nullptr ? index_->size() : nodes_),
                  unlabelled);
    unknown_.settle(context_, unknown_ids_, [&] { return words_of_unknown(); });
    return number_classes();
  }

 private:
  UnknownIdList::Words words_of_unknown() const {
    UnknownIdList::Words words{.file = bytes_.name, .column = ", column 1"};
    if (index_ == nullptr) {
      words.expected = nodes_ > 0 ? "0 to " + std::to_string(nodes_ - 1) : "no row";
    } else {
      words.expected = "one of the " + with_commas(index_->size()) + " ids that have features";
      words.hint = nearest_name_hint(index_->names(context_), unknown_.first());
    }
    return words;
  }

  void parse(const TextBlock& block, std::string_view line, FieldReader& reader, LabelRows& rows,
             LocalNames& ids, LocalNames& labels) const {
    Field id;
    Field label;
    Field more;
    reader.next(id);
    check_id_field(block, id);
    if (!reader.next(label) || reader.next(more)) {
      block.fail(line.data(), {.what = "not a row of labels",
                               .found = "another number of columns",
                               .expected = "an id and a label, separated by " +
                                           separator_name(head_.separator)});
    }
    if (label.problem != nullptr) block.fail(label.at, {.what = label.problem});
    if (label.text.size() > max_name_bytes) {
      block.fail(label.at, {.what = "a label is too long"});
    }
    rows.nodes.push_back(index_ != nullptr ? add_id(block, ids, id) : row_number(id, rows));
    rows.classes.push_back(label.text.empty() ? no_label : labels.add(label.text, label.at).local);
    rows.at.push_back(id.at);
  }

  std::uint32_t row_number(const Field& id, LabelRows& rows) const {
    const auto number = parse_plain_integer(id.text, nodes_ - 1);
    if (number) return static_cast<std::uint32_t>(*number);
    rows.strangers.emplace_back(id.text);
    return no_node;
  }

  // Gives nodes and classes their numbers, in file order.
  void take(std::span<const TextBlock> blocks, std::span<const LabelRows> rows,
            std::span<LocalNames> ids, std::span<LocalNames> labels) {
    if (index_ != nullptr) {
      if (known_only_) {
        index_->find(context_, ids);
      } else {
        index_->add(context_, ids, bytes_.name);
      }
      nodes_ = index_->size();
    }
    classes_.add(context_, labels, bytes_.name);
    constexpr std::int32_t unseen = unlabelled - 1;
    found_.resize(static_cast<std::size_t>(nodes_), unseen);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::size_t stranger = 0;
      for (std::size_t r = 0; r < rows[b].nodes.size(); ++r) {
        const std::uint32_t id = rows[b].nodes[r];
        if (index_ != nullptr ? ids[b].id(id) < 0 : id == no_node) {
          unknown_.add(index_ != nullptr ? ids[b].names()[id].text() : rows[b].strangers[stranger],
                       [&] { return "line " + std::to_string(blocks[b].line(rows[b].at[r])); });
          ++stranger;
          continue;
        }
        const std::size_t node = index_ != nullptr ? static_cast<std::size_t>(ids[b].id(id)) : id;
        if (found_[node] != unseen) {
          blocks[b].fail(rows[b].at[r],
                         {.what = "a node is listed twice", .expected = "one label for each id"});
        }
        const std::uint32_t label = rows[b].classes[r];
        found_[node] = label == no_label ? unlabelled : labels[b].id(label);
      }
    }
  }

  NodeLabels number_classes() {
    const NodeNames texts = classes_.names(context_);
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < texts.size(); ++i) names.emplace_back(texts[i]);
    if (unknown_.count() > 0) names = classes_in_use(names);
    ClassOrder order = order_classes(names);
    for (std::int32_t& label : found_) {
      label = label < 0 ? unlabelled : order.number[static_cast<std::size_t>(label)];
    }
    const auto suspect = std::find_if(names.begin(), names.end(), looks_like_no_label);
    if (suspect != names.end()) {
      context_.log().write(
          LogLevel::notice,
          bytes_.name + ": the label " + in_quotes(*suspect) +
              " is taken as a class; leave the label empty for an unlabelled node");
    }
    return {.labels = std::move(found_), .class_names = std::move(order.names)};
  }

  // Those that some node has, after rows were dropped; the labels found become numbers of these.
  std::vector<std::string> classes_in_use(const std::vector<std::string>& names) {
    std::vector<std::int32_t> number(names.size(), unlabelled);
    for (const std::int32_t label : found_) {
      if (label >= 0) number[static_cast<std::size_t>(label)] = 0;
    }
    std::vector<std::string> used;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (number[c] == unlabelled) continue;
      number[c] = static_cast<std::int32_t>(used.size());
      used.push_back(names[c]);
    }
    for (std::int32_t& label : found_) {
      if (label >= 0) label = number[static_cast<std::size_t>(label)];
    }
    return used;
  }

  const Context& context_;
  const Bytes& bytes_;
  TableHead head_;
  NodeIndex* index_;
  bool known_only_;
  std::int64_t nodes_;
  UnknownIds unknown_ids_;
  UnknownIdList unknown_;
  NodeIndex classes_;
  std::vector<std::int32_t> found_;
};

// The array under `key`, or the only one there is.
NdArray only_array(const NpzFile& file, std::string_view key) {
  if (!key.empty() && file.contains(key)) return file.read(key);
  if (file.keys().size() == 1) return file.read(file.keys()[0]);
  fail_input({.what = "which of the arrays is meant?",
              .file = file.name(),
              .found = with_commas(static_cast<std::int64_t>(file.keys().size())) + " arrays",
              .expected = key.empty() ? "one array, or a SciPy sparse matrix"
                                      : "one array, or one named " + in_quotes(key)});
}

}  // namespace

DenseMatrix read_keyed_features(const Context& context, const Bytes& bytes,
                                const TableOptions& options, NodeIndex& index) {
  const TableHead head = read_table_head(context, bytes, options, is_feature_header);
  const auto columns = static_cast<std::int64_t>(head.row.size());
  if (columns == 1) {
    fail_input(
        {.what = "rows of a single column",
         .file = bytes.name,
         .expected = "an id and its numbers, separated by " + separator_name(head.separator)});
  }
  return read_number_rows(
      context, bytes,
      {.separator = head.separator,
       .columns = std::max<std::int64_t>(columns - 1, 0),
       .keyed = true,
       .skip = head.skip},
      [&](std::span<const TextBlock> blocks, std::span<LocalNames> keys) {
        index.add(context, keys, bytes.name);
        for_blocks(context, blocks, [&](std::size_t b) {
          for (std::uint32_t local = 0; local < keys[b].names().size(); ++local) {
            if (keys[b].is_first(local)) continue;
            const LocalNames::Name& name = keys[b].names()[local];
            blocks[b].fail(name.at,
                           {.what = "a node is listed twice", .found = in_quotes(name.text())});
          }
        });
      });
}

bool is_array_file(const Bytes& bytes) {
  return is_npy(bytes) || is_zip(bytes);
}

Features read_array_features(const Context& context, const Bytes& bytes) {
  if (is_npy(bytes)) return compact(read_npy(bytes).to_matrix());
  const NpzFile file(bytes);
  if (is_scipy_sparse(file)) return compact(read_scipy_sparse(context, file));
  return compact(only_array(file, "features").to_matrix());
}

NodeLabels read_keyed_labels(const Context& context, const Bytes& bytes,
                             const TableOptions& options, NodeIndex& index, bool known_only) {
  return LabelReader(context, bytes, options, &index, known_only, index.size()).run();
}

NodeLabels read_numbered_labels(const Context& context, const Bytes& bytes,
                                const TableOptions& options, std::int64_t nodes) {
  return LabelReader(context, bytes, options, nullptr, true, nodes).run();
}

NodeLabels read_array_labels(const Bytes& bytes) {
  const NdArray array = is_npy(bytes) ? read_npy(bytes) : only_array(NpzFile(bytes), "labels");
  if (!array.is_text()) return {.labels = labels_from_array(array), .class_names = {}};
  array.require_dimensions(1);
  const std::vector<std::string> texts = array.to_strings();
  std::vector<std::string> distinct = texts;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (!distinct.empty() && distinct.front().empty()) distinct.erase(distinct.begin());
  ClassOrder order = order_classes(distinct);
  std::vector<std::int32_t> labels;
  for (const std::string& text : texts) {
    if (text.empty()) {
      labels.push_back(unlabelled);
      continue;
    }
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), text);
    labels.push_back(order.number[static_cast<std::size_t>(at - distinct.begin())]);
  }
  return {.labels = std::move(labels), .class_names = std::move(order.names)};
}

}  // namespace creg
