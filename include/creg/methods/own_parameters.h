// Parameters that one method alone has. They are written in the method's file, and appear as flags,
// as keys of recipes and in docs/parameters.md like all others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/named_enum.h"

namespace creg {

struct OwnParameter {
  std::string key;      ///< in TOML; the flag is the same with '-' for '_'
  std::string initial;  ///< its default, as text
  std::string values;   ///< what may be written: "0..1", "degree|pagerank"
  std::string help;
  bool truth = false;  ///< true or false: a flag without a value
  /// The text of a value in its shortest form; a wrong one is an input error that names the key,
  /// the value and the range.
  std::function<std::string(const std::string&)> read;
};

OwnParameter own_integer(const std::string& key, std::int64_t initial, std::int64_t low,
                         std::int64_t high, const std::string& help);
OwnParameter own_real(const std::string& key, double initial, double low, double high,
                      const std::string& help);
OwnParameter own_truth(const std::string& key, bool initial, const std::string& help);
OwnParameter own_choice(const std::string& key, const std::string& initial,
                        const std::vector<std::string>& names, const std::string& help);
/// One of the names of an enum (creg/core/named_enum.h).
template <class E>
OwnParameter own_choice(const std::string& key, E initial, const std::string& help) {
  return own_choice(key, name_of(initial), names_of<E>(), help);
}

/// The values of a method's own parameters, by key. A key that it does not have is a Bug.
class OwnSettings {
 public:
  OwnSettings() = default;
  /// Every parameter at its default.
  explicit OwnSettings(std::span<const OwnParameter> parameters);

  /// As OwnParameter::read returned it.
  void set(std::string_view key, std::string text);

  const std::string& text(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool truth(std::string_view key) const { return text(key) == "true"; }
  template <class E>
  E choice(std::string_view key) const {
    return from_name<E>(text(key)).value();
  }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace creg
