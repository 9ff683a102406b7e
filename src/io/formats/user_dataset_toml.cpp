#include <toml++/toml.h>
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/formats/read_user_dataset.h"
#include "io/text/text_fields.h"
#include "io/text/toml_text.h"

namespace creg {
namespace {

const std::vector<std::string> dataset_keys = {
    "edges", "features",  "labels", "splits",     "directed",    "name",
    "nodes", "separator", "header", "transforms", "allow_empty", "unknown_ids"};

class SpecReader {
 public:
  SpecReader(const Bytes& bytes, const std::filesystem::path& folder)
      : file_(bytes.name), folder_(folder) {}

  UserDatasetSpec run(const toml::table& table) {
    for (const auto& [key, node] : table) {
      key_ = from_ascii_toml(key.str());
      line_ = key.source().begin.line;
      read(node);
    }
    if (spec_.edges.empty()) {
      fail_input({.what = "the key 'edges' is missing",
                  .file = file_,
                  .expected = "edges = \"FILE\", the edge list"});
    }
    if (spec_.name.empty()) spec_.name = std::filesystem::path(file_).stem().string();
    return std::move(spec_);
  }

 private:
  void read(const toml::node& node) {
    if (key_ == "edges") {
      spec_.edges = path(node);
    } else if (key_ == "features") {
      spec_.features = path(node);
    } else if (key_ == "labels") {
      spec_.labels = path(node);
    } else if (key_ == "splits") {
      if (const toml::array* list = node.as_array()) {
        for (const toml::node& item : *list) spec_.splits.push_back(path(item));
      } else {
        spec_.splits.push_back(path(node));
      }
    } else if (key_ == "directed") {
      spec_.directed = boolean(node);
    } else if (key_ == "name") {
      spec_.name = string(node);
    } else if (key_ == "nodes") {
      spec_.nodes = count(node);
    } else if (key_ == "separator") {
      spec_.edge_options.separator = parse_separator(string(node), file_ + ": " + place());
    } else if (key_ == "header") {
      spec_.edge_options.header = boolean(node);
    } else if (key_ == "allow_empty") {
      spec_.reading.allow_empty = boolean(node);
    } else if (key_ == "unknown_ids") {
      const std::string name = string(node);
      const std::optional<UnknownIds> choice = from_name<UnknownIds>(name);
      if (!choice) fail(node, "error or drop", in_quotes(name));
      spec_.reading.unknown_ids = *choice;
    } else if (key_ == "transforms") {
      const toml::array* list = node.as_array();
      if (list == nullptr) fail(node, "a list of strings");
      for (const toml::node& item : *list) spec_.transforms.push_back(string(item));
    } else {
      fail_input({.what = "unknown key",
                  .file = file_,
                  .place = place(),
                  .found = in_quotes(key_),
                  .hint = suggestion(key_, dataset_keys)});
    }
  }

  std::string place() const { return "line " + std::to_string(line_); }

  [[noreturn]] void fail(const toml::node& node, std::string expected,
                         std::string found = {}) const {
    if (found.empty()) {
      // toml++'s own names of its types are words of the TOML specification.
      std::ostringstream type;
      type << node.type();
      found = "a value of type " + type.str();
    }
    fail_input({.what = "a wrong value for " + in_quotes(key_),
                .file = file_,
                .place = place(),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  std::string string(const toml::node& node) const {
    const toml::value<std::string>* text = node.as_string();
    if (text == nullptr) fail(node, "a string");
    return from_ascii_toml(text->get());
  }
  std::filesystem::path path(const toml::node& node) const {
    const std::string text = string(node);
    if (text.empty()) fail(node, "the path of a file", "an empty string");
    return folder_ / text;
  }
  bool boolean(const toml::node& node) const {
    const toml::value<bool>* value = node.as_boolean();
    if (value == nullptr) fail(node, "true or false");
    return value->get();
  }
  std::int64_t count(const toml::node& node) const {
    const toml::value<std::int64_t>* value = node.as_integer();
    const std::string expected = "a whole number of 1 to " + with_commas(max_nodes);
    if (value == nullptr) fail(node, expected);
    if (value->get() < 1 || value->get() > max_nodes) {
      fail(node, expected, std::to_string(value->get()));
    }
    return value->get();
  }

  std::string file_;
  const std::filesystem::path& folder_;
  UserDatasetSpec spec_;
  std::string key_;
  std::int64_t line_ = 0;
};

}  // namespace

UserDatasetSpec parse_user_dataset(const Bytes& toml, const std::filesystem::path& folder) {
  try {
    const toml::table table = toml::parse(to_ascii_toml(toml));
    return SpecReader(toml, folder).run(table);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    fail_input({.what = "not valid TOML: " + from_ascii_toml(error.description()),
                .file = toml.name,
                .place = "line " + std::to_string(begin.line) + ", character " +
                         std::to_string(begin.column)});
  }
}

}  // namespace creg
