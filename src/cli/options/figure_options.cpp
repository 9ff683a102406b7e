#include "cli/options/figure_options.h"

#include <algorithm>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg::cli {

void add_figure_options(CLI::App& command, FigureOptions& options) {
  const std::string group = "Figures";
  command
      .add_option("--figures", options.formats,
                  "Their format, or several; --format pdf means the same here [svg]")
      ->type_name("svg|pdf|png")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--width", options.width,
                  "How wide: 85mm, 3.3in, 240pt or pixels of 96 to the inch [their own]")
      ->type_name("W")
      ->group(group);
  command
      .add_option("--font-size", options.font_size, "Size of the axes' labels, in points [9.75]")
      ->type_name("PT")
      ->group(group);
  command.add_option("--title", options.title, "Instead of their own; '' for none")
      ->type_name("TEXT")
      ->group(group);
  command
      .add_flag("--no-note", options.no_note,
                "Leave it to the caption what means, bands and whiskers are")
      ->group(group);
}

void take_figure_format(FigureOptions& options, GlobalOptions& globals) {
  if (!from_name<FigureFormat>(globals.format)) return;
  options.formats = {globals.format};
  globals.format.clear();
}

ChartFiles chart_files(const FigureOptions& options, const std::string& out) {
  const bool asked = !options.formats.empty() || !options.width.empty() ||
                     !options.font_size.empty() || options.title || options.no_note;
  if (asked && out.empty()) {
    fail_input(
        {.what = "no folder was named for the figures",
         .expected = "--out DIR with --figures, --width, --font-size, --title and --no-note"});
  }
  ChartFiles files;
  if (!options.width.empty()) files.style.width = parse_figure_width(options.width, "--width");
  if (!options.font_size.empty()) {
    files.style.font = parse_font_size(options.font_size, "--font-size");
  }
  files.style.title = options.title;
  files.style.note = !options.no_note;
  if (!options.formats.empty()) files.formats.clear();
  for (const std::string& name : options.formats) {
    const std::optional<FigureFormat> format = from_name<FigureFormat>(name);
    if (!format) {
      fail_input({.what = "unknown format of figures",
                  .file = "--figures",
                  .found = in_quotes(name),
                  .expected = join_words(names_of<FigureFormat>(), " or ")});
    }
    if (std::ranges::find(files.formats, *format) == files.formats.end()) {
      files.formats.push_back(*format);
    }
  }
  return files;
}

}  // namespace creg::cli
