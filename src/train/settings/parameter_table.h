// Makes parameters of the members of TrainConfig: how their values are read, checked and written.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/parse_value.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/named_enum.h"
#include "train/parameters.h"

namespace creg {

/// "gcn|gat|gin".
inline std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

/// Makes parameters of the struct's members.
class ParameterTable {
 public:
  ParameterTable& group(std::string name) {
    group_ = std::move(name);
    return *this;
  }

  template <class Get>
  ParameterTable& integer(const std::string& key, std::int64_t low, std::int64_t high,
                          const Get& member, const std::string& help) {
    const std::string range = "a whole number of " + with_commas(low) + " to " + with_commas(high);
    return add({.key = key,
                .values = std::to_string(low) + ".." + std::to_string(high),
                .help = help,
                .whole = true,
                .set =
                    [=](TrainConfig& config, const std::string& text) {
                      using Value = std::remove_reference_t<decltype(member(config))>;
                      member(config) = static_cast<Value>(parse_number<std::int64_t>(
                          key, text, range, static_cast<double>(low), static_cast<double>(high)));
                    },
                .get =
                    [=](const TrainConfig& config) {
                      return std::to_string(member(const_cast<TrainConfig&>(config)));
                    }});
  }

  template <class Get>
  ParameterTable& real(const std::string& key, double low, double high, const Get& member,
                       const std::string& help) {
    const std::string range = "a number of " + number_text(low) + " to " + number_text(high);
    return add({.key = key,
                .values = number_text(low) + ".." + number_text(high),
                .help = help,
                .set =
                    [=](TrainConfig& config, const std::string& text) {
                      member(config) = parse_number<double>(key, text, range, low, high);
                    },
                .get =
                    [=](const TrainConfig& config) {
                      return number_text(member(const_cast<TrainConfig&>(config)));
                    }});
  }

  template <class Get>
  ParameterTable& truth(const std::string& key, const Get& member, const std::string& help) {
    return add({.key = key,
                .values = "true|false",
                .help = help,
                .truth = true,
                .set =
                    [=](TrainConfig& config, const std::string& text) {
                      if (text != "true" && text != "false") {
                        fail_value(key, text, "true or false");
                      }
                      member(config) = text == "true";
                    },
                .get =
                    [=](const TrainConfig& config) {
                      return member(const_cast<TrainConfig&>(config)) ? "true" : "false";
                    }});
  }

  template <class E, class Get>
  ParameterTable& choice(const std::string& key, const Get& member, const std::string& help) {
    const std::vector<std::string> names = names_of<E>();
    return add({.key = key,
                .values = alternatives(names),
                .help = help,
                .set =
                    [=](TrainConfig& config, const std::string& text) {
                      const auto value = from_name<E>(text);
                      if (!value) fail_value(key, text, join_words(names, " or "));
                      member(config) = *value;
                    },
                .get =
                    [=](const TrainConfig& config) {
                      return name_of(member(const_cast<TrainConfig&>(config)));
                    }});
  }

  ParameterTable& add(Parameter parameter) {
    parameter.group = group_;
    parameters_.push_back(std::move(parameter));
    return *this;
  }

  std::vector<Parameter> take() { return std::move(parameters_); }

 private:
  std::string group_;
  std::vector<Parameter> parameters_;
};

}  // namespace creg
