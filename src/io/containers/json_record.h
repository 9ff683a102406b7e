// JSON of one object whose keys are known, some of them lists: what the readers of splits share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/containers/json_sax.h"

namespace creg {

/// Refuses objects inside the object, keys that are unknown or given twice, and lists where there
/// is none; the rest is the derived reader's.
class JsonRecordReader : public JsonReader {
 public:
  struct Form {
    std::vector<std::string> keys;
    std::string keys_in_words;       ///< for the message about an unknown one
    std::vector<std::string> lists;  ///< those keys that hold lists
    int list_depth = 1;              ///< 2: lists of lists
  };

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
    if (std::find(form_.keys.begin(), form_.keys.end(), value) == form_.keys.end()) {
      fail("unknown key", in_quotes(value), form_.keys_in_words, suggestion(value, form_.keys));
    }
    if (seen(value)) fail("a key is given twice", in_quotes(value), "each key once");
    seen_.push_back(value);
    list_ = static_cast<std::size_t>(std::find(form_.lists.begin(), form_.lists.end(), value) -
                                     form_.lists.begin());
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ == 0 || depth_ > form_.list_depth || !is_list()) unexpected("a list");
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }

 protected:
  /// `form` must outlive the reader.
  JsonRecordReader(const Bytes& bytes, const Form& form) : JsonReader(bytes), form_(form) {}

  /// Items that the present list has so far, for messages.
  virtual std::size_t items(std::size_t list) const = 0;

  const std::string& present_key() const { return key_; }
  /// 0 outside, 1 inside the object, 2 inside a list, 3 inside a list of a list.
  int depth() const { return depth_; }
  /// The place of the key among the form's lists; their number when it holds none.
  std::size_t list() const { return list_; }
  bool is_list() const { return list_ < form_.lists.size(); }
  bool seen(const std::string& name) const {
    return std::find(seen_.begin(), seen_.end(), name) != seen_.end();
  }
  std::string place() const override {
    if (depth_ < 2) return key_.empty() ? std::string() : "key " + in_quotes(key_);
    return key_ + "[" + std::to_string(items(list_)) + "]";
  }

 private:
  const Form& form_;
  std::vector<std::string> seen_;
  std::string key_;
  std::size_t list_ = form_.lists.size();
  int depth_ = 0;
};

/// Writes one object a key at a time, so that long lists need not be in memory as JSON. The caller
/// commits the file.
class JsonRecordWriter {
 public:
  explicit JsonRecordWriter(AtomicFile& out) : out_(out) { out_.write("{"); }

  void value(const std::string& key, const nlohmann::ordered_json& value) {
    begin(key);
    out_.write(value.dump());
  }
  /// json_of(item) is the item as JSON.
  template <class Items, class JsonOf>
  void list(const std::string& key, const Items& items, std::string_view comma,
            const JsonOf& json_of) {
    begin(key);
    out_.write("[");
    std::string_view before;
    for (const auto& item : items) {
      out_.write(before);
      out_.write(nlohmann::ordered_json(json_of(item)).dump());
      before = comma;
    }
    out_.write("]");
  }
  void end() { out_.write("}\n"); }

 private:
  void begin(const std::string& key) {
    if (!first_) out_.write(",\n ");
    first_ = false;
    out_.write(nlohmann::ordered_json(key).dump() + ": ");
  }

  AtomicFile& out_;
  bool first_ = true;
};

}  // namespace creg
