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
#include "io/containers/json_record.h"

namespace creg {
namespace {

constexpr std::array<const char*, 4> edge_split_numbers = {"seed", "nodes", "edges",
                                                           "edges_crc32c"};
const std::vector<std::string> edge_split_keys = {
    "protocol",     "seed", "dataset", "nodes",         "edges",
    "edges_crc32c", "val",  "test",    "val_non_edges", "test_non_edges"};
const JsonRecordReader::Form edge_split_form = {
    .keys = edge_split_keys,
    .keys_in_words = join_words(edge_split_keys, " or "),
    .lists = {"val", "test", "val_non_edges", "test_non_edges"},
    .list_depth = 2};

/// In the order of the form's lists.
template <class Split>
auto parts_of(Split& split) {
  return std::array{&split.val, &split.test, &split.val_non_edges, &split.test_non_edges};
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

class EdgeSplitReader final : public JsonRecordReader {
 public:
  explicit EdgeSplitReader(const Bytes& bytes) : JsonRecordReader(bytes, edge_split_form) {}

  Contents take() {
    for (const std::string& name : edge_split_keys) {
      if (!seen(name)) fail("a key is missing", "no such key", in_quotes(name));
    }
    return std::move(contents_);
  }

  bool start_array(std::size_t size) override {
    pair_size_ = 0;
    return JsonRecordReader::start_array(size);
  }
  bool end_array() override {
    if (depth() == 3) {
      if (pair_size_ != 2) unexpected("a list of " + std::to_string(pair_size_));
      parts_of(contents_.lists)[list()]->push_back(pair_);
    }
    return JsonRecordReader::end_array();
  }
  bool string(string_t& value) override {
    if (depth() != 1 || (present_key() != "protocol" && present_key() != "dataset")) {
      unexpected("the string " + in_quotes(value));
    }
    if (present_key() == "dataset") contents_.dataset = value;
    if (present_key() == "protocol" && value != edge_split_protocol) {
      fail("unknown protocol of an edge split", in_quotes(value), std::string(edge_split_protocol));
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth() == 1 && number() < edge_split_numbers.size()) {
      contents_.numbers[number()] = value;
      return true;
    }
    if (depth() != 3 || pair_size_ == 2 ||
        value > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      unexpected(std::to_string(value));
    }
    (pair_size_ == 0 ? pair_.u : pair_.v) = static_cast<std::int32_t>(value);
    ++pair_size_;
    return true;
  }

 private:
  /// The place of the key among edge_split_numbers.
  std::size_t number() const {
    const auto at = std::find(edge_split_numbers.begin(), edge_split_numbers.end(), present_key());
    return static_cast<std::size_t>(at - edge_split_numbers.begin());
  }
  std::size_t items(std::size_t list) const override {
    return parts_of(contents_.lists)[list]->size();
  }
  std::string expected() const override {
    if (depth() == 0) return "an object that describes an edge split";
    if (depth() > 1) return "a pair of node numbers, [u, v]";
    if (is_list()) return "a list of pairs of node numbers";
    return number() < edge_split_numbers.size() ? "a whole number of 0 or more" : "a string";
  }

  Contents contents_;
  NodePair pair_;
  int pair_size_ = 0;
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
  JsonRecordWriter json(out);
  json.value("protocol", edge_split_protocol);
  json.value("seed", file.seed);
  json.value("dataset", as_utf8(graph.name));
  json.value("nodes", graph.nodes());
  json.value("edges", identity.count);
  json.value("edges_crc32c", identity.checksum);
  const auto lists = parts_of(file.split);
  for (std::size_t p = 0; p < lists.size(); ++p) {
    json.list(edge_split_form.lists[p], *lists[p], ",", [](const NodePair& pair) {
      return std::array{pair.u, pair.v};
    });
  }
  json.end();
  out.commit();
}

}  // namespace creg
