#include "io/formats/wikics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "graph/build.h"
#include "io/containers/json_sax.h"
#include "io/formats/empty_files.h"

namespace creg {
namespace {

enum class ArticlePart {
  features,
  labels,
  links,
  train_masks,
  stopping_masks,
  val_masks,
  test_mask,
  other
};

constexpr std::array<const char*, 7> wikics_parts = {
    "features", "labels", "links", "train_masks", "stopping_masks", "val_masks", "test_mask"};

// The nodes that a list of true and false chooses.
struct Mask {
  std::int64_t size = 0;
  std::vector<std::int32_t> nodes;
};

class WikiCsReader final : public JsonReader {
 public:
  WikiCsReader(const Context& context, const Bytes& bytes)
      : JsonReader(bytes),
        context_(context),
        progress_(context, "reading " + bytes.name, -1, "values") {}

  Graph take() {
    progress_.finish();
    depth_ = 0;
    part_ = ArticlePart::other;
    for (const ArticlePart part :
         {ArticlePart::features, ArticlePart::labels, ArticlePart::links}) {
      if (!seen_[index(part)]) {
        fail("a key is missing", "no such key", in_quotes(wikics_parts[index(part)]));
      }
    }
    const auto nodes = static_cast<std::int64_t>(labels_.size());
    if (nodes == 0) fail("the graph has no nodes", "0 labels", "one per node");
    check_count(feature_rows_, nodes, "rows of features");
    check_count(static_cast<std::int64_t>(link_ends_.size()), nodes, "lists of links");

    Graph graph;
    graph.name = "wikics";
    graph.directed = true;
    graph.labels = std::move(labels_);
    graph.features = compact(DenseMatrix{.rows = nodes,
                                         .cols = std::max<std::int64_t>(columns_, 0),
                                         .values = std::move(features_)});
    graph.adjacency = links(nodes);
    add_splits(graph, nodes);
    validate(graph, bytes_.name);
    return graph;
  }

  bool start_object(std::size_t /*size*/) override {
    if (skipping()) return descend();
    if (depth_ != 0) unexpected("an object");
    return descend();
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ != 1) return true;  // inside a value that is passed over
    const auto at =
        std::find(wikics_parts.begin(), wikics_parts.end(), value) - wikics_parts.begin();
    part_ = static_cast<ArticlePart>(at);
    if (part_ == ArticlePart::other) return true;
    if (seen_[index(part_)]) fail("a key is given twice", in_quotes(value), "each key once");
    seen_[index(part_)] = true;
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    if (skipping()) return descend();
    if (depth_ == 0 || depth_ >= value_depth()) unexpected("a list");
    descend();
    if (depth_ == value_depth()) {
      row_size_ = 0;
      if (Mask* mask = begin_mask()) mask->size = 0;
    }
    return true;
  }
  bool end_array() override {
    if (!skipping() && depth_ == 3) end_row();
    --depth_;
    return true;
  }

  bool boolean(bool value) override {
    if (skipping()) return true;
    if (!at_value() || current_mask() == nullptr) unexpected(value ? "true" : "false");
    mark(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (skipping()) return true;
    if (!at_value()) unexpected(std::to_string(value));
    if (current_mask() != nullptr) {
      if (value > 1) unexpected(std::to_string(value));
      mark(value == 1);
    } else if (part_ == ArticlePart::features) {
      feature(static_cast<double>(value), std::to_string(value));
    } else {
      if (value >= static_cast<std::uint64_t>(max_nodes)) unexpected(std::to_string(value));
      (part_ == ArticlePart::labels ? labels_ : links_).push_back(static_cast<std::int32_t>(value));
      count();
    }
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (skipping()) return true;
    if (!at_value() || part_ != ArticlePart::features) unexpected(std::to_string(value));
    feature(static_cast<double>(value), std::to_string(value));
    return true;
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (skipping()) return true;
    if (!at_value() || part_ != ArticlePart::features) unexpected(in_quotes(text));
    feature(value, text);
    return true;
  }
  bool null() override { return skipping() || JsonReader::null(); }
  bool string(string_t& value) override { return skipping() || JsonReader::string(value); }

 private:
  static std::size_t index(ArticlePart part) { return static_cast<std::size_t>(part); }

  // Inside the value of a key that means nothing here.
  bool skipping() const { return depth_ >= 1 && part_ == ArticlePart::other; }
  bool descend() {
    ++depth_;
    return true;
  }
  // How deep the numbers of the present key lie: the object, the list, and mostly a list in it.
  int value_depth() const {
    return part_ == ArticlePart::labels || part_ == ArticlePart::test_mask ? 2 : 3;
  }
  bool at_value() const { return depth_ == value_depth(); }

  std::string place() const override {
    if (part_ == ArticlePart::other || depth_ < 1) return {};
    std::string text = wikics_parts[index(part_)];
    if (depth_ == 3) text += "[" + std::to_string(rows_done()) + "]";
    if (at_value()) text += "[" + std::to_string(row_size_) + "]";
    return text;
  }
  std::string expected() const override {
    if (depth_ == 0) return "an object";
    if (!at_value()) return "a list";
    if (part_ == ArticlePart::features) return "a number that a float can hold";
    if (part_ == ArticlePart::labels) return "a class of 0 or more";
    return part_ == ArticlePart::links ? "a node id" : "true or false";
  }
  std::int64_t rows_done() const {
    if (part_ == ArticlePart::features) return feature_rows_;
    if (part_ == ArticlePart::links) return static_cast<std::int64_t>(link_ends_.size());
    return static_cast<std::int64_t>(masks_[index(part_)].size()) - 1;
  }

  void count() {
    ++row_size_;
    constexpr std::int64_t step = 1 << 16;
    if (++values_ % step == 0) progress_.advance(step);
  }
  void feature(double value, const std::string& text) {
    const auto rounded = static_cast<float>(value);
    if (!std::isfinite(rounded)) unexpected(in_quotes(text));
    features_.push_back(rounded);
    count();
  }
  void mark(bool chosen) {
    Mask& mask = *current_mask();
    if (mask.size == max_nodes) fail("too many nodes", "a longer list", with_commas(max_nodes));
    if (chosen) mask.nodes.push_back(static_cast<std::int32_t>(mask.size));
    ++mask.size;
    count();
  }
  bool is_mask() const {
    return part_ == ArticlePart::train_masks || part_ == ArticlePart::stopping_masks ||
           part_ == ArticlePart::val_masks || part_ == ArticlePart::test_mask;
  }
  Mask* begin_mask() {
    if (!is_mask()) return nullptr;
    return &masks_[index(part_)].emplace_back();
  }
  Mask* current_mask() {
    if (!is_mask() || masks_[index(part_)].empty()) return nullptr;
    return &masks_[index(part_)].back();
  }
  void end_row() {
    if (part_ == ArticlePart::links) link_ends_.push_back(static_cast<std::int64_t>(links_.size()));
    if (part_ != ArticlePart::features) return;
    if (columns_ < 0) columns_ = row_size_;
    if (row_size_ != columns_) {
      fail("a row of another length", with_commas(row_size_) + " numbers", with_commas(columns_));
    }
    ++feature_rows_;
  }

  void check_count(std::int64_t found, std::int64_t nodes, const std::string& what) const {
    if (found == nodes) return;
    fail("labels and " + what + " do not match", with_commas(found) + " " + what,
         with_commas(nodes) + ", as there are labels");
  }

  CsrMatrix links(std::int64_t nodes) {
    std::vector<std::int64_t> offsets = {0};
    offsets.insert(offsets.end(), link_ends_.begin(), link_ends_.end());
    for (std::int64_t u = 0; u < nodes; ++u) {
      for (auto e = offsets[static_cast<std::size_t>(u)];
           e < offsets[static_cast<std::size_t>(u) + 1]; ++e) {
        if (links_[static_cast<std::size_t>(e)] < nodes) continue;
        fail("node id out of range",
             std::to_string(links_[static_cast<std::size_t>(e)]) + " in links[" +
                 std::to_string(u) + "]",
             "0 to " + std::to_string(nodes - 1));
      }
    }
    return sort_rows(context_, {.rows = nodes,
                                .cols = nodes,
                                .offsets = std::move(offsets),
                                .columns = std::move(links_),
                                .values = {}});
  }

  void add_splits(Graph& graph, std::int64_t nodes) {
    std::vector<Mask>& train = masks_[index(ArticlePart::train_masks)];
    std::vector<Mask>& test = masks_[index(ArticlePart::test_mask)];
    const ArticlePart val_part =
        seen_[index(ArticlePart::val_masks)] ? ArticlePart::val_masks : ArticlePart::stopping_masks;
    std::vector<Mask>& val = masks_[index(val_part)];
    if (train.size() != val.size() || test.size() != (train.empty() ? 0U : 1U)) {
      fail("the masks do not match",
           std::to_string(train.size()) + " training, " + std::to_string(val.size()) +
               " validation and " + std::to_string(test.size()) + " test masks",
           "as many of the first two, and one test mask");
    }
    for (const std::vector<Mask>& masks : masks_) {
      for (const Mask& mask : masks) check_count(mask.size, nodes, "entries of a mask");
    }
    if (train.empty()) return;
    const Array<std::int32_t> test_nodes = std::move(test[0].nodes);
    for (std::size_t i = 0; i < train.size(); ++i) {
      graph.splits.push_back({.name = std::to_string(i),
                              .train = std::move(train[i].nodes),
                              .val = std::move(val[i].nodes),
                              .test = test_nodes});
    }
  }

  const Context& context_;
  ProgressTask progress_;
  ArticlePart part_ = ArticlePart::other;
  int depth_ = 0;
  std::int64_t row_size_ = 0;
  std::int64_t values_ = 0;
  std::array<bool, wikics_parts.size()> seen_{};
  std::vector<float> features_;
  std::int64_t columns_ = -1;
  std::int64_t feature_rows_ = 0;
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> links_;
  std::vector<std::int64_t> link_ends_;
  std::array<std::vector<Mask>, wikics_parts.size()> masks_;
};

}  // namespace

Graph read_wikics(const Context& context, const Bytes& bytes, const ReadOptions& reading) {
  WikiCsReader reader(context, bytes);
  reader.run();
  Graph graph = reader.take();
  refuse_empty(reading, graph.adjacency.nonzeros(), "links", bytes.name);
  refuse_empty(reading, feature_cols(graph.features), "features", bytes.name);
  refuse_empty(reading, labelled_nodes(graph.labels), "labels", bytes.name);
  return graph;
}

}  // namespace creg
