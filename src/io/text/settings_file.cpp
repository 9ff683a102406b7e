#include "io/settings_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/text/toml_text.h"

namespace creg {
namespace {

/// The text of a scalar or of a list of strings; nothing for what a setting cannot be.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return from_ascii_toml(text->get());
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  const toml::array* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::string joined;
  bool first = true;
  for (const toml::node& item : *list) {
    const auto* text = item.as_string();
    if (text == nullptr) return std::nullopt;
    joined += (first ? "" : "+") + from_ascii_toml(text->get());
    first = false;
  }
  return joined;
}

template <class T>
std::optional<T> number_of(const std::string& text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Whether TOML would give this very text back. "007", "1e5" and "1.50" are numbers too, but come
/// back written in another way or not at all.
bool reads_back_bare(const std::string& text) {
  if (text == "true" || text == "false") return true;
  if (const auto whole = number_of<std::int64_t>(text)) return std::to_string(*whole) == text;
  const auto number = number_of<double>(text);
  // TOML takes digits alone for an integer, and these do not fit one.
  return number && std::isfinite(*number) && text.find_first_of(".e") != std::string::npos &&
         fmt::format("{}", *number) == text;
}

}  // namespace

std::vector<Setting> read_settings(const Bytes& toml) {
  std::vector<Setting> settings;
  try {
    const toml::table table = toml::parse(to_ascii_toml(toml));
    for (const auto& [key, node] : table) {
      const std::string name = from_ascii_toml(key.str());
      const auto line = static_cast<std::int64_t>(key.source().begin.line);
      const std::optional<std::string> text = text_of(node);
      if (!text) {
        std::ostringstream type;
        type << node.type();
        fail_input({.what = "a wrong value for " + in_quotes(name),
                    .file = toml.name,
                    .place = "line " + std::to_string(line),
                    .found = "a value of type " + type.str(),
                    .expected = "a number, a string, true or false, or a list of strings"});
      }
      settings.push_back({name, *text, line});
    }
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    fail_input({.what = "not valid TOML: " + from_ascii_toml(error.description()),
                .file = toml.name,
                .place = "line " + std::to_string(begin.line) + ", character " +
                         std::to_string(begin.column)});
  }
  // toml++ keeps its keys sorted by name.
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.line < b.line; });
  return settings;
}

std::string toml_value(const std::string& value) {
  return reads_back_bare(value) ? value : toml_string(value);
}

std::string toml_string(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace creg
