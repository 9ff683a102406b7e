// The flags by which commands that draw are told how.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "report/writers.h"

namespace creg::cli {

struct FigureOptions {
  std::vector<std::string> formats;
  std::string width;
  std::string font_size;
  std::optional<std::string> title;
  bool no_note = false;
};

/// --figures, --width, --font-size, --title and --no-note.
void add_figure_options(CLI::App& command, FigureOptions& options);

/// Where --format names a format of figures, that is what it means for such a command; results are
/// then text. Called once the words are parsed.
void take_figure_format(FigureOptions& options, GlobalOptions& globals);

/// What they ask for, of figures that go into `out`; without such a folder the flags mean nothing,
/// which is an input error.
ChartFiles chart_files(const FigureOptions& options, const std::string& out);

}  // namespace creg::cli
