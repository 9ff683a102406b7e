#include <algorithm>

#include "creg/learn/metrics.h"
#include "report/writers.h"

namespace creg {
namespace {

using Json = nlohmann::ordered_json;

struct JsonMaker {
  template <class T>
  Json operator()(const T& plain) const {
    return plain;
  }

  Json operator()(const Sample& sample) const {
    if (sample.values.empty()) return nullptr;
    const Summary summary = summarise(sample.values);
    return {{"mean", summary.mean}, {"std", summary.std}, {"values", summary.values}};
  }

  Json operator()(const List& list) const {
    Json out = Json::array();
    for (const Value& value : list) out.push_back(to_json(value));
    return out;
  }

  Json operator()(const Record& record) const {
    Json out = Json::object();
    for (const Field& field : record) {
      if (!field.key.empty()) out[field.key] = to_json(field.value);
    }
    return out;
  }

  Json operator()(const Table& table) const {
    Json out = Json::array();
    for (const std::vector<Value>& row : table.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& key = table.columns[i].key;
        if (!key.empty()) object[key] = to_json(row.at(i));
      }
      out.push_back(std::move(object));
    }
    return out;
  }
};

}  // namespace

nlohmann::ordered_json to_json(const Value& value) {
  return std::visit(JsonMaker{}, value.variant());
}

std::string to_json_text(const Record& record) {
  const auto list = std::ranges::find_if(record, [](const Field& field) {
    return field.key.empty() && field.label.empty() && field.value.as<List>() != nullptr;
  });
  const Json whole = list == record.end() ? to_json(record) : to_json(list->value);
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json_line(const Record& record) {
  return to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace creg
