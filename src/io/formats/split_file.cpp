#include "io/split_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/containers/json_record.h"
#include "io/text/name_lookup.h"
#include "io/text/node_index.h"
#include "io/text/text_fields.h"
#include "io/text/unknown_ids.h"

namespace creg {
namespace {

const JsonRecordReader::Form split_form = {.keys = {"protocol", "seed", "train", "val", "test"},
                                           .keys_in_words = "protocol, seed, train, val and test",
                                           .lists = {"train", "val", "test"},
                                           .list_depth = 1};

class SplitReader final : public JsonRecordReader {
 public:
  SplitReader(const Context& context, const Bytes& bytes, const Graph& graph)
      : JsonRecordReader(bytes, split_form),
        file_(bytes.name),
        graph_(graph),
        lookup_(context, graph.names, graph.nodes()) {
    if (!lookup_.unique()) {
      fail_input(
          {.what = "a split by name needs names that differ",
           .file = bytes.name,
           .hint = "the graph has nodes of the same name, or names of more than 65,535 bytes"});
    }
    part_of_.assign(static_cast<std::size_t>(graph.nodes()), none);
  }

  SplitFile take(const Context& context, UnknownIds unknown_ids) {
    unknown_.settle(context, unknown_ids, [&] { return words_of_unknown(); });
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::string& name = split_form.lists[p];
      if (!seen(name)) fail("a part is missing", "no such key", in_quotes(name));
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

  bool string(string_t& value) override {
    if (depth() == 1 && present_key() == "protocol") {
      protocol_ = value;
    } else {
      if (depth() != 2) unexpected("the string " + in_quotes(value));
      add(value);
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth() == 1 && present_key() == "seed") {
      seed_ = value;
    } else {
      if (depth() != 2) unexpected(std::to_string(value));
      add(std::to_string(value));
    }
    return true;
  }

 private:
  static constexpr std::uint8_t none = 3;

  std::size_t items(std::size_t list) const override { return read_[list]; }
  std::string expected() const override {
    if (depth() == 0) return "an object with protocol, seed, train, val and test";
    if (depth() == 2) return "a node's name";
    if (present_key() == "protocol") return "a string";
    return present_key() == "seed" ? "a whole number of 0 or more" : "a list of node names";
  }

  void add(const std::string& name) {
    const std::int32_t node = lookup_.find(name);
    if (node < 0) {
      unknown_.add(name, [&] { return place(); });
      ++read_[list()];
      return;
    }
    std::uint8_t& part = part_of_[static_cast<std::size_t>(node)];
    if (part != none) {
      fail("a node is listed twice", in_quotes(name) + ", already in " + split_form.lists[part],
           "each node once, in one part");
    }
    part = static_cast<std::uint8_t>(list());
    parts_[list()].push_back(node);
    ++read_[list()];
  }

  UnknownIdList::Words words_of_unknown() const {
    const bool named = !graph_.names.empty();
    return {.file = file_,
            .column = {},
            .expected = named ? "one of the graph's " + with_commas(graph_.nodes()) + " names"
                              : "0 to " + std::to_string(graph_.nodes() - 1),
            .hint = named ? nearest_name_hint(graph_.names, unknown_.first()) : std::string()};
  }

  std::string file_;
  const Graph& graph_;
  NameLookup lookup_;
  UnknownIdList unknown_;
  std::array<std::size_t, 3> read_{};  // names of each part so far, unknown ones too
  std::vector<std::uint8_t> part_of_;
  std::array<std::vector<std::int32_t>, 3> parts_;
  std::string protocol_;
  std::optional<std::uint64_t> seed_;
};

std::string utf8_text(std::string text, const std::filesystem::path& path) {
  if (!decode_utf8(text)) {
    fail_input({.what = "a name that is not UTF-8 cannot be written as JSON",
                .file = path.string(),
                .found = in_quotes(text)});
  }
  return text;
}

}  // namespace

SplitFile read_split_file(const Context& context, const Bytes& bytes, const Graph& graph,
                          UnknownIds unknown_ids) {
  SplitReader reader(context, bytes, graph);
  reader.run();
  return reader.take(context, unknown_ids);
}

void write_split_file(const std::filesystem::path& path, const Graph& graph,
                      const SplitFile& file) {
  AtomicFile out(path);
  JsonRecordWriter json(out);
  if (!file.protocol.empty()) json.value("protocol", utf8_text(file.protocol, path));
  if (file.seed) json.value("seed", *file.seed);
  const std::array parts = {&file.split.train, &file.split.val, &file.split.test};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    json.list(split_form.lists[p], *parts[p], ", ",
              [&](std::int32_t node) { return utf8_text(graph.node_name(node), path); });
  }
  json.end();
  out.commit();
}

}  // namespace creg
