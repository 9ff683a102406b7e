#include "io/containers/json_record.h"

#include <algorithm>

namespace creg {

bool JsonRecordReader::start_object(std::size_t /*size*/) {
  if (depth_ != 0) unexpected("an object");
  depth_ = 1;
  return true;
}

bool JsonRecordReader::end_object() {
  depth_ = 0;
  key_.clear();
  return true;
}

bool JsonRecordReader::key(string_t& value) {
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

bool JsonRecordReader::start_array(std::size_t /*size*/) {
  if (depth_ == 0 || depth_ > form_.list_depth || !is_list()) unexpected("a list");
  ++depth_;
  return true;
}

bool JsonRecordReader::end_array() {
  --depth_;
  return true;
}

bool JsonRecordReader::seen(const std::string& name) const {
  return std::find(seen_.begin(), seen_.end(), name) != seen_.end();
}

std::string JsonRecordReader::place() const {
  if (depth_ < 2) return key_.empty() ? std::string() : "key " + in_quotes(key_);
  return key_ + "[" + std::to_string(items(list_)) + "]";
}

}  // namespace creg
