// What the command line offers, as plain values: completions and manual pages are made of it, so
// that neither is ever written by hand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace creg::cli {

enum class Paths { none, files, folders };

struct FlagPage {
  std::vector<std::string> names;  ///< "--quiet", "-q"; of a positional argument its one name
  std::string value;               ///< what may be written, as the help shows it; empty: nothing
  std::vector<std::string> words;  ///< values that are known by name
  Paths paths = Paths::none;       ///< whether a value may also be a path
  bool list = false;               ///< several values joined by commas
  bool may_lack_value = false;
  bool repeats = false;
  std::string help;
  std::string group;  ///< its heading
};

struct CommandPage {
  std::string command;  ///< "creg data list"
  std::string about;    ///< one line
  std::vector<FlagPage> flags;
  std::vector<FlagPage> arguments;  ///< positional ones
  std::vector<CommandPage> below;

  /// Its last word.
  std::string name() const;
};

/// The page of an app with those of its subcommands. `recipes`: METHOD/DATASET of the shipped ones.
CommandPage command_page(const CLI::App& app, const std::vector<std::string>& recipes);

/// The page of these words below `page`; an unknown one is an input error with suggestions.
const CommandPage& find_page(const CommandPage& page, const std::vector<std::string>& words);

}  // namespace creg::cli
