#include <fmt/format.h>

#include "cli/pages/completion.h"

namespace creg::cli {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// -n and what must be so for a line to be about this command.
std::string fish_condition(const CommandPage& page) {
  std::string words;
  for (std::size_t at = page.command.find(' '); at != std::string::npos;) {
    const std::size_t end = page.command.find(' ', at + 1);
    words += fmt::format("{}__fish_seen_subcommand_from {}", words.empty() ? "" : "; and ",
                         page.command.substr(at + 1, end - at - 1));
    at = end;
  }
  return words;
}

std::string fish_values(const FlagPage& flag) {
  std::string text;
  if (flag.value.empty()) return text;
  text += flag.may_lack_value ? "" : " -r";
  text += flag.paths == Paths::files ? " -F" : " -f";
  std::string words;
  for (const std::string& word : flag.words) words += (words.empty() ? "" : " ") + word;
  if (flag.paths == Paths::folders)
    words += words.empty() ? "(__fish_complete_directories)" : " (__fish_complete_directories)";
  if (!words.empty()) text += " -a " + fish_quoted(words);
  return text;
}

void add_lines(std::string& text, const CommandPage& page) {
  const std::string when = fish_condition(page);
  const std::string start = "complete -c creg" + (when.empty() ? "" : " -n " + fish_quoted(when));
  std::string below;
  for (const CommandPage& one : page.below) below += (below.empty() ? "" : " ") + one.name();
  const std::string none_yet =
      (when.empty() ? "" : when + "; and ") + "not __fish_seen_subcommand_from " + below;
  for (const CommandPage& one : page.below) {
    text += fmt::format("complete -c creg -f -n {} -a {} -d {}\n", fish_quoted(none_yet),
                        one.name(), fish_quoted(one.about));
  }
  for (const FlagPage& flag : page.flags) {
    text += start;
    for (const std::string& name : flag.names) {
      const bool is_long = name.starts_with("--");
      text += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
    }
    text += fish_values(flag) + " -d " + fish_quoted(flag.help) + "\n";
  }
  if (page.below.empty()) {
    text += start + (page.arguments.empty() ? " -f" : fish_values(page.arguments.front())) + "\n";
  }
  for (const CommandPage& one : page.below) add_lines(text, one);
}

}  // namespace

std::string fish_completion(const CommandPage& creg) {
  std::string text = "# Completion for fish, made by: creg completion fish\n";
  add_lines(text, creg);
  return text;
}

}  // namespace creg::cli
