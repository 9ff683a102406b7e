#include "run/result_file.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "io/json_text.h"

namespace creg {
namespace {

/// Null where the object has no such key, or is none.
const nlohmann::json* find_in(const nlohmann::json* object, const std::string& key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

}  // namespace

std::optional<ResultFile> ResultFile::read(const Bytes& file) {
  nlohmann::json object = parse_json(file.text());
  if (!object.is_object()) return std::nullopt;
  return ResultFile(std::move(object));
}

std::vector<double> ResultFile::values(const std::string& metric) const {
  const nlohmann::json* const list =
      find_in(find_in(find_in(&object_, "metrics"), metric), "values");
  if (list == nullptr || !list->is_array()) return {};
  std::vector<double> values;
  for (const nlohmann::json& value : *list) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return {};
    values.push_back(value.get<double>());
  }
  return values;
}

std::string ResultFile::text(const std::string& key, const std::string& otherwise) const {
  const nlohmann::json* const found = find_in(&object_, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : otherwise;
}

int ResultFile::count(const std::string& key) const {
  const nlohmann::json* const found = find_in(&object_, key);
  if (found == nullptr || !found->is_number_unsigned()) return 0;
  const auto value = found->get<std::uint64_t>();
  return value <= std::numeric_limits<int>::max() ? static_cast<int>(value) : 0;
}

double ResultFile::seconds() const {
  const nlohmann::json* const found = find_in(&object_, "seconds");
  if (found == nullptr || !found->is_number()) return 0;
  const auto value = found->get<double>();
  return std::isfinite(value) && value >= 0 ? value : 0;
}

}  // namespace creg
