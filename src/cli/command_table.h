// Every command's name and line, in one place: the overview and the help of each show them, and the
// executable knows by it what it must hand to the library.
#pragma once

#include <span>
#include <string_view>

namespace creg::cli {

/// Who does a command's work.
enum class Half {
  plain,      ///< the executable itself: no libtorch
  computing,  ///< the library that is linked with libtorch
  either,     ///< the library where it loads; else the executable, as far as it can
};

struct CommandEntry {
  std::string_view group;  ///< what it is for, in a word; empty: not in the overview
  std::string_view name;
  std::string_view about;  ///< one line
  Half half;
};

/// In the order in which they are shown; those of a group stand together.
std::span<const CommandEntry> command_table();

/// An entry that is there: names come from the table.
const CommandEntry& find_command(std::string_view name);

}  // namespace creg::cli
