#include "io/edge_split_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/checksum.h"
#include "io/containers/json_sax.h"

namespace creg {
namespace {

constexpr std::array<const char*, 4> edge_split_parts = {"val", "test", "val_non_edges",
                                                         "test_non_edges"};
constexpr std::array<const char*, 4> edge_split_numbers = {"seed", "nodes", "edges",
                                                           "edges_crc32c"};
const std::vector<std::string> edge_split_keys = {
    "protocol",     "seed", "dataset", "nodes",         "edges",
    "edges_crc32c", "val",  "test",    "val_non_edges", "test_non_edges"};

std::array<std::vector<NodePair>*, 4> parts_of(EdgeSplit& split) {
  return {&split.val, &split.test, &split.val_non_edges, &split.test_non_edges};
}

struct EdgesIdentity {
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;
};

EdgesIdentity identity_of(const Context& context, const Graph& graph) {
  const std::vector<NodePair> edges = distinct_edges(context, graph.adjacency);
  static_assert(sizeof(NodePair) == 2 * sizeof(std::int32_t));
  return {.count = edges.size(),
          .checksum = crc32c_parallel(context, std::as_bytes(std::span(edges)))};
}

/// What the file says, not yet held against a graph.
struct Contents {
  std::string dataset;
  std::array<std::uint64_t, edge_split_numbers.size()>
      numbers{};  ///< in the order of edge_split_numbers
  EdgeSplit lists;
};

class EdgeSplitReader final : public JsonReader {
 public:
  using JsonReader::JsonReader;

  Contents take() {
    for (const std::string& name : edge_split_keys) {
      if (std::find(seen_.begin(), seen_.end(), name) == seen_.end()) {
        fail("a key is missing", "no such key", in_quotes(name));
      }
    }
    return std::move(contents_);
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
    if (std::find(edge_split_keys.begin(), edge_split_keys.end(), value) == edge_split_keys.end()) {
      fail("unknown key", in_quotes(value), join_words(edge_split_keys, " or "),
           suggestion(value, edge_split_keys));
    }
    if (std::find(seen_.begin(), seen_.end(), value) != seen_.end()) {
      fail("a key is given twice", in_quotes(value), "each key once");
    }
    seen_.push_back(value);
    part_ = place_in(edge_split_parts);
    number_ = place_in(edge_split_numbers);
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ == 0 || depth_ > 2 || part_ == edge_split_parts.size()) unexpected("a list");
    ++depth_;
    pair_size_ = 0;
    return true;
  }
  bool end_array() override {
    if (depth_ == 3) {
      if (pair_size_ != 2) unexpected("a list of " + std::to_string(pair_size_));
      parts_of(contents_.lists)[part_]->push_back(pair_);
    }
    --depth_;
    return true;
  }
  bool string(string_t& value) override {
    if (depth_ != 1 || (key_ != "protocol" && key_ != "dataset")) {
      unexpected("the string " + in_quotes(value));
    }
    if (key_ == "dataset") contents_.dataset = value;
    if (key_ == "protocol" && value != edge_split_protocol) {
      fail("unknown protocol of an edge split", in_quotes(value), std::string(edge_split_protocol));
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && number_ < edge_split_numbers.size()) {
      contents_.numbers[number_] = value;
      return true;
    }
    if (depth_ != 3 || pair_size_ == 2 ||
        value > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      unexpected(std::to_string(value));
    }
    (pair_size_ == 0 ? pair_.u : pair_.v) = static_cast<std::int32_t>(value);
    ++pair_size_;
    return true;
  }

 private:
  std::size_t place_in(std::span<const char* const> names) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), key_) - names.begin());
  }
  std::string place() const override {
    if (depth_ < 2) return key_.empty() ? std::string() : "key " + in_quotes(key_);
    return key_ + "[" +
           std::to_string(parts_of(const_cast<EdgeSplit&>(contents_.lists))[part_]->size()) + "]";
  }
  std::string expected() const override {
    if (depth_ == 0) return "an object that describes an edge split";
    if (depth_ > 1) return "a pair of node numbers, [u, v]";
    if (part_ < edge_split_parts.size()) return "a list of pairs of node numbers";
    return number_ < edge_split_numbers.size() ? "a whole number of 0 or more" : "a string";
  }

  Contents contents_;
  std::vector<std::string> seen_;
  std::string key_;
  std::size_t part_ = edge_split_parts.size();
  std::size_t number_ = edge_split_numbers.size();
  NodePair pair_;
  int pair_size_ = 0;
  int depth_ = 0;
};

}  // namespace

EdgeSplitFile read_edge_split_file(const Context& context, const Bytes& bytes, const Graph& graph) {
  EdgeSplitReader reader(bytes);
  reader.run();
  Contents contents = reader.take();
  const auto [seed, nodes, edges, checksum] = contents.numbers;
  const EdgesIdentity here = identity_of(context, graph);
  if (nodes != static_cast<std::uint64_t>(graph.nodes()) || edges != here.count ||
      checksum != here.checksum) {
    const auto words = [](const std::string& name, std::uint64_t n, std::uint64_t m,
                          std::uint64_t sum) {
      return in_quotes(name) + " with " + std::to_string(n) + " nodes and " + std::to_string(m) +
             " edges (checksum " + std::to_string(sum) + ")";
    };
    fail_input({.what = "the edge split is of another graph",
                .file = bytes.name,
                .found = words(contents.dataset, nodes, edges, checksum),
                .expected = words(graph.name, static_cast<std::uint64_t>(graph.nodes()), here.count,
                                  here.checksum),
                .hint = "name the dataset, and the transforms, that the split was made of"});
  }
  return {.seed = seed,
          .split = apply_edge_split(context, graph, std::move(contents.lists), bytes.name)};
}

void write_edge_split_file(const Context& context, const std::filesystem::path& path,
                           const Graph& graph, const EdgeSplitFile& file) {
  const EdgesIdentity identity = identity_of(context, graph);
  AtomicFile out(path);
  // A name that JSON cannot hold is only a word for people here.
  const std::string name = decode_utf8(graph.name) ? graph.name : "";
  out.write(R"({"protocol": ")" + std::string(edge_split_protocol) + R"(", "seed": )" +
            std::to_string(file.seed) + ",\n \"dataset\": " + nlohmann::json(name).dump() +
            ", \"nodes\": " + std::to_string(graph.nodes()) +
            ", \"edges\": " + std::to_string(identity.count) +
            ", \"edges_crc32c\": " + std::to_string(identity.checksum));
  const EdgeSplit& split = file.split;
  const std::array lists = {&split.val, &split.test, &split.val_non_edges, &split.test_non_edges};
  for (std::size_t p = 0; p < lists.size(); ++p) {
    out.write(",\n \"" + std::string(edge_split_parts[p]) + "\": [");
    std::string_view comma;
    for (const auto& [u, v] : *lists[p]) {
      out.write(comma);
      out.write("[" + std::to_string(u) + "," + std::to_string(v) + "]");
      comma = ",";
    }
    out.write("]");
  }
  out.write("}\n");
  out.commit();
}

}  // namespace creg
