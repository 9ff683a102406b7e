#include "io/split_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/containers/json_sax.h"
#include "io/text/node_index.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

const std::vector<std::string> split_keys = {"protocol", "seed", "train", "val", "test"};
constexpr std::array<const char*, 3> split_parts = {"train", "val", "test"};

// Names of a graph to node numbers.
class NameLookup {
 public:
  NameLookup(const Context& context, const Graph& graph) : graph_(graph) {
    if (graph.names.empty()) return;
    index_ = index_names(context, graph.names);
    unique_ = index_.size() == graph.names.size();
  }
  bool unique() const { return unique_; }
  /// -1 when there is none.
  std::int32_t find(std::string_view name) const {
    if (!graph_.names.empty()) return index_.find(name);
    return static_cast<std::int32_t>(parse_plain_integer(name, graph_.nodes() - 1).value_or(-1));
  }

 private:
  const Graph& graph_;
  NodeIndex index_;
  bool unique_ = true;
};

class SplitReader final : public JsonReader {
 public:
  SplitReader(const Context& context, const Bytes& bytes, const Graph& graph)
      : JsonReader(bytes), graph_(graph), lookup_(context, graph) {
    if (!lookup_.unique()) {
      fail_input(
          {.what = "a split by name needs names that differ",
           .file = bytes.name,
           .hint = "the graph has nodes of the same name, or names of more than 65,535 bytes"});
    }
    part_of_.assign(static_cast<std::size_t>(graph.nodes()), none);
  }

  SplitFile take() {
    for (std::size_t p = 0; p < split_parts.size(); ++p) {
      if (!seen_parts_[p]) fail("a part is missing", "no such key", in_quotes(split_parts[p]));
      std::sort(parts_[p].begin(), parts_[p].end());
    }
    SplitFile file;
    file.protocol = std::move(protocol_);
    file.seed = seed_;
    file.split.name = file.protocol;
    file.split.train = std::move(parts_[0]);
    file.split.val = std::move(parts_[1]);
    file.split.test = std::move(parts_[2]);
    return file;
  }

  bool start_object(std::size_t /*size*/) override {
    if (depth_ != 0) unexpected("an object");
    depth_ = 1;
    return true;
  }
  bool end_object() override {
    depth_ = 0;
    key_.clear();
    return true;
  }
  bool key(string_t& value) override {
    key_ = value;
    if (std::find(split_keys.begin(), split_keys.end(), value) == split_keys.end()) {
      fail("unknown key", in_quotes(value), "protocol, seed, train, val and test",
           suggestion(value, split_keys));
    }
    if (std::find(seen_keys_.begin(), seen_keys_.end(), value) != seen_keys_.end()) {
      fail("a key is given twice", in_quotes(value), "each key once");
    }
    seen_keys_.push_back(value);
    part_ = static_cast<std::size_t>(std::find(split_parts.begin(), split_parts.end(), value) -
                                     split_parts.begin());
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ != 1 || part_ == split_parts.size()) unexpected("a list");
    depth_ = 2;
    seen_parts_[part_] = true;
    return true;
  }
  bool end_array() override {
    depth_ = 1;
    return true;
  }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == "protocol") {
      protocol_ = value;
    } else {
      if (depth_ != 2) unexpected("the string " + in_quotes(value));
      add(value);
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == "seed") {
      seed_ = value;
    } else {
      if (depth_ != 2) unexpected(std::to_string(value));
      add(std::to_string(value));
    }
    return true;
  }

 private:
  static constexpr std::uint8_t none = 3;

  std::string place() const override {
    if (depth_ < 2) return key_.empty() ? std::string() : "key " + in_quotes(key_);
    return key_ + "[" + std::to_string(parts_[part_].size()) + "]";
  }
  std::string expected() const override {
    if (depth_ == 0) return "an object with protocol, seed, train, val and test";
    if (depth_ == 2) return "a node's name";
    if (key_ == "protocol") return "a string";
    return key_ == "seed" ? "a whole number of 0 or more" : "a list of node names";
  }

  void add(const std::string& name) {
    const std::int32_t node = lookup_.find(name);
    if (node < 0) {
      const bool named = !graph_.names.empty();
      fail("unknown node", in_quotes(name),
           named ? "one of the graph's " + with_commas(graph_.nodes()) + " names"
                 : "0 to " + std::to_string(graph_.nodes() - 1),
           named ? nearest_name_hint(graph_.names, name) : std::string());
    }
    std::uint8_t& part = part_of_[static_cast<std::size_t>(node)];
    if (part != none) {
      fail("a node is listed twice", in_quotes(name) + ", already in " + split_parts[part],
           "each node once, in one part");
    }
    part = static_cast<std::uint8_t>(part_);
    parts_[part_].push_back(node);
  }

  const Graph& graph_;
  NameLookup lookup_;
  std::vector<std::uint8_t> part_of_;
  std::array<std::vector<std::int32_t>, 3> parts_;
  std::array<bool, 3> seen_parts_{};
  std::vector<std::string> seen_keys_;
  std::string key_;
  std::size_t part_ = split_parts.size();
  int depth_ = 0;
  std::string protocol_;
  std::optional<std::uint64_t> seed_;
};

std::string json_text(const std::string& text, const std::filesystem::path& path) {
  if (!decode_utf8(text)) {
    fail_input({.what = "a name that is not UTF-8 cannot be written as JSON",
                .file = path.string(),
                .found = in_quotes(text)});
  }
  return nlohmann::json(text).dump();
}

}  // namespace

SplitFile read_split_file(const Context& context, const Bytes& bytes, const Graph& graph) {
  SplitReader reader(context, bytes, graph);
  reader.run();
  return reader.take();
}

void write_split_file(const std::filesystem::path& path, const Graph& graph,
                      const SplitFile& file) {
  AtomicFile out(path);
  out.write("{");
  if (!file.protocol.empty()) out.write("\"protocol\": " + json_text(file.protocol, path) + ",\n ");
  if (file.seed) out.write("\"seed\": " + std::to_string(*file.seed) + ",\n ");
  const std::array parts = {&file.split.train, &file.split.val, &file.split.test};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    out.write("\"" + std::string(split_parts[p]) + "\": [");
    std::string_view comma;
    for (const std::int32_t node : *parts[p]) {
      out.write(comma);
      out.write(json_text(graph.node_name(node), path));
      comma = ", ";
    }
    out.write(p + 1 < parts.size() ? "],\n " : "]}\n");
  }
  out.commit();
}

}  // namespace creg
