#include "creg/io/settings_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "creg/core/error.h"
#include "creg/core/text.h"
#include "creg/io/toml_text.h"

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
  for (const toml::node& item : *list) {
    const auto* text = item.as_string();
    if (text == nullptr) return std::nullopt;
    joined += (joined.empty() ? "" : "+") + from_ascii_toml(text->get());
  }
  return joined;
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
                .place = "line " + std::to_string(begin.line) + ", column " +
                         std::to_string(begin.column)});
  }
  // toml++ keeps its keys sorted by name.
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.line < b.line; });
  return settings;
}

std::string toml_value(const std::string& value) {
  if (value == "true" || value == "false") return value;
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const bool finite = value.find_first_not_of("+-.0123456789eE") == std::string::npos;
  if (!value.empty() && error == std::errc() && stop == end && finite) return value;
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
