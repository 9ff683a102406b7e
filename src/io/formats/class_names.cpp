#include "io/formats/class_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

namespace creg {
namespace {

std::optional<double> value_of(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  if (!whole || value != value) return std::nullopt;
  return value;
}

}  // namespace

ClassOrder order_classes(const std::vector<std::string>& texts) {
  std::vector<double> values;
  for (const std::string& text : texts) {
    const std::optional<double> value = value_of(text);
    if (!value) break;
    values.push_back(*value);
  }
  const bool numeric = values.size() == texts.size();
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numeric && values[a] != values[b]) return values[a] < values[b];
    return texts[a] < texts[b];
  });

  ClassOrder result;
  result.number.resize(texts.size());
  bool plain = true;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    result.number[order[rank]] = static_cast<std::int32_t>(rank);
    plain = plain && texts[order[rank]] == std::to_string(rank);
  }
  if (plain) return result;
  for (const std::size_t i : order) result.names.push_back(texts[i]);
  return result;
}

bool looks_like_no_label(const std::string& text) {
  constexpr std::array<std::string_view, 10> suspects = {"?",  "nan",  "NaN",  "NA",   "N/A",
                                                         "-1", "None", "none", "null", "NULL"};
  return std::find(suspects.begin(), suspects.end(), text) != suspects.end();
}

}  // namespace creg
