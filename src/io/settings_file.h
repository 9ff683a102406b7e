// Flat TOML files: recipes and the configuration of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file.h"

namespace creg {

/// One `key = value`; a number, a truth value or a string as its text.
struct Setting {
  std::string key;
  std::string value;
  std::int64_t line = 0;
};

/// All keys in the order of their lines. Tables, dates and lists of anything but strings are input
/// errors; a list of strings becomes one value with '+' between them.
std::vector<Setting> read_settings(const Bytes& toml);

/// The value as TOML writes it: bare for numbers and truth values that `read_settings` gives back
/// as the same text, else quoted.
std::string toml_value(const std::string& value);

/// The value in quotes, whatever it looks like. TOML knows only UTF-8; other bytes can be read
/// back from the files of a run alone.
std::string toml_string(const std::string& value);

}  // namespace creg
