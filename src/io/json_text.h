// JSON that others wrote, as a tree of values.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace creg {

/// How deep values lie inside lists and objects. What strings hold does not count.
inline int nesting_depth(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

/// Discarded (is_discarded()) where the text is no JSON, or nested deeper than anything we write:
/// trees are walked and freed level by level, so a file could exhaust the stack.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  constexpr int most_depth = 64;
  if (nesting_depth(text) > most_depth) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace creg
