// JSON of one object whose keys are known, some of them lists: what the readers of splits share.
#pragma once

#include <cstddef>
#include <string>
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

  bool start_object(std::size_t size) override;
  bool end_object() override;
  bool key(string_t& value) override;
  bool start_array(std::size_t size) override;
  bool end_array() override;

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
  bool seen(const std::string& name) const;

  std::string place() const override;

 private:
  const Form& form_;
  std::vector<std::string> seen_;
  std::string key_;
  std::size_t list_ = form_.lists.size();
  int depth_ = 0;
};

/// A list in a JSON file; text_of(item) is the item as it stands there.
template <class Items, class TextOf>
void write_json_list(AtomicFile& out, const Items& items, std::string_view comma,
                     const TextOf& text_of) {
  out.write("[");
  std::string_view before;
  for (const auto& item : items) {
    out.write(before);
    out.write(text_of(item));
    before = comma;
  }
  out.write("]");
}

}  // namespace creg
