#include "creg/methods/entry.h"

#include <algorithm>
#include <charconv>

#include "core/parse_value.h"
#include "core/text.h"
#include "creg/core/error.h"

namespace creg {

OwnParameter own_integer(const std::string& key, std::int64_t initial, std::int64_t low,
                         std::int64_t high, const std::string& help) {
  const std::string range = "a whole number of " + with_commas(low) + " to " + with_commas(high);
  return {.key = key,
          .initial = std::to_string(initial),
          .values = std::to_string(low) + ".." + std::to_string(high),
          .help = help,
          .whole = true,
          .read = [=](const std::string& text) {
            return std::to_string(parse_number<std::int64_t>(
                key, text, range, static_cast<double>(low), static_cast<double>(high)));
          }};
}

OwnParameter own_real(const std::string& key, double initial, double low, double high,
                      const std::string& help) {
  const std::string range = "a number of " + number_text(low) + " to " + number_text(high);
  return {.key = key,
          .initial = number_text(initial),
          .values = number_text(low) + ".." + number_text(high),
          .help = help,
          .read = [=](const std::string& text) {
            return number_text(parse_number<double>(key, text, range, low, high));
          }};
}

OwnParameter own_truth(const std::string& key, bool initial, const std::string& help) {
  return {.key = key,
          .initial = initial ? "true" : "false",
          .values = "true|false",
          .help = help,
          .truth = true,
          .read = [=](const std::string& text) {
            if (text != "true" && text != "false") fail_value(key, text, "true or false");
            return text;
          }};
}

OwnParameter own_choice(const std::string& key, const std::string& initial,
                        const std::vector<std::string>& names, const std::string& help) {
  std::string values;
  for (const std::string& name : names) values += (values.empty() ? "" : "|") + name;
  return {.key = key,
          .initial = initial,
          .values = values,
          .help = help,
          .read = [=](const std::string& text) {
            if (std::find(names.begin(), names.end(), text) == names.end()) {
              fail_value(key, text, join_words(names, " or "));
            }
            return text;
          }};
}

OwnSettings::OwnSettings(std::span<const OwnParameter> parameters) {
  for (const OwnParameter& parameter : parameters) values_[parameter.key] = parameter.initial;
}

void OwnSettings::set(std::string_view key, std::string text) {
  const auto found = values_.find(key);
  invariant(found != values_.end(), "a method is asked for its own parameters alone");
  found->second = std::move(text);
}

const std::string& OwnSettings::text(std::string_view key) const {
  const auto found = values_.find(key);
  invariant(found != values_.end(), "a method is asked for its own parameters alone");
  return found->second;
}

std::int64_t OwnSettings::integer(std::string_view key) const {
  const std::string& value = text(key);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

double OwnSettings::real(std::string_view key) const {
  const std::string& value = text(key);
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

}  // namespace creg
