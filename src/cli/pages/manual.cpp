#include "cli/pages/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/build_info.h"
#include "core/utf8.h"
#include "creg/core/error.h"

namespace creg::cli {
namespace {

/// Text as roff takes it: nothing in it is a request, a minus is a minus.
std::string roff(std::string_view text) {
  const auto points = decode_utf8(text);
  invariant(points.has_value(), "help is UTF-8");
  std::string out;
  for (const char32_t c : *points) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '.' && out.empty()) {
      out += "\\&.";
    } else if (c == '|') {
      out += "|\\:";  // a line may end here
    } else if (c > 0x7e) {
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string page_name(const CommandPage& page) {
  std::string name = page.command;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string reference(const CommandPage& page) {
  return bold(page_name(page)) + "(1)";
}

std::string synopsis(const CommandPage& page) {
  std::string text = ".SH SYNOPSIS\n" + bold(page.command);
  if (!page.below.empty()) text += " " + italic("COMMAND");
  for (const FlagPage& argument : page.arguments) {
    const std::string name =
        italic(argument.value.empty() ? argument.names.front() : argument.value);
    text += fmt::format(" [{}]", name);
  }
  return text + " [" + italic("OPTION") + "]...\n";
}

std::string tagged_item(const FlagPage& flag, bool argument) {
  std::string text = ".TP\n";
  if (argument) {
    text += italic(flag.value.empty() ? flag.names.front() : flag.value);
  } else {
    for (std::size_t i = 0; i < flag.names.size(); ++i) {
      text += (i == 0 ? "" : ", ") + bold(flag.names[i]);
    }
    if (!flag.value.empty()) {
      const std::string value = italic(flag.value);
      text += " " + (flag.may_lack_value ? "[" + value + "]" : value);
    }
  }
  return text + "\n" + roff(flag.help) + "\n";
}

/// The flags under their headings, in the order in which they first come.
std::string option_sections(const CommandPage& page) {
  std::vector<std::string> groups;
  for (const FlagPage& flag : page.flags) {
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    // CLI11's own heading of what has none.
    text += group == "Options" ? ".SH OPTIONS\n" : ".SS " + roff(group) + "\n";
    for (const FlagPage& flag : page.flags) {
      if (flag.group == group) text += tagged_item(flag, false);
    }
  }
  return text;
}

std::string command_section(const CommandPage& page) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandPage& one : page.below) {
    text += fmt::format(".TP\n{}\n{}\n", reference(one), roff(one.about));
  }
  return text;
}

/// What is the same for all commands stands on the page of creg.
constexpr std::string_view of_all = R"roff(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
Failed.
.TP
.B 2
Wrong usage or bad input.
.TP
.B 130
Stopped by Ctrl\-C, after an epoch and with a checkpoint where one trains.
.SH ENVIRONMENT
.TP
.B CREG_DATA
The folder of the datasets, unless
.B \-\-data\-dir
names one.
.SH EXAMPLES
.nf
creg demo
creg train \-\-edges edges.csv \-\-features features.npy \-\-out run
creg data get cora && creg train \-\-dataset cora \-\-seeds 10
creg eval classify run
.fi
)roff";

std::string see_also(const CommandPage& page, const CommandPage& creg) {
  std::string text;
  const auto add = [&](const CommandPage& one) {
    text += (text.empty() ? "" : ",\n") + reference(one);
  };
  if (&page != &creg) add(creg);
  for (const CommandPage& one : page.below) add(one);
  return text.empty() ? text : ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string manual_file_name(const CommandPage& page) {
  return page_name(page) + ".1";
}

std::string manual_page(const CommandPage& page, const CommandPage& creg) {
  const bool top = &page == &creg;
  std::string title = page_name(page);
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  // The version comes before what creg is; the page has it in its margin.
  const std::string about = top ? page.about.substr(page.about.find(": ") + 2) : page.about;
  std::string text =
      fmt::format(".\\\" Made by: creg manual\n.TH \"{}\" 1 \"\" \"creg {}\" \"User Commands\"\n",
                  roff(title), build_info().version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(page_name(page)), roff(about));
  text += synopsis(page);
  if (!page.below.empty()) text += command_section(page);
  if (!page.arguments.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const FlagPage& argument : page.arguments) text += tagged_item(argument, true);
  }
  text += option_sections(page);
  if (top) {
    text += of_all;
  } else {
    text += fmt::format(".PP\nThe options that all commands take are in {}.\n", reference(creg));
  }
  return text + see_also(page, creg);
}

}  // namespace creg::cli
