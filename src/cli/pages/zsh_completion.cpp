#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/completion.h"

namespace creg::cli {
namespace {

/// Inside single quotes, with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr std::string_view special_in_specs = "[]:\\";

std::string function_name(const CommandPage& page) {
  std::string name = "_" + page.command;
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// ":message:action" of a value.
std::string value_spec(const FlagPage& flag) {
  std::string words;
  for (const std::string& word : flag.words) words += " " + escaped(word, special_in_specs);
  std::string action = " ";
  if (flag.paths == Paths::none && !words.empty()) {
    action = fmt::format("{} words{}", flag.list ? "_creg_list" : "_creg_words", words);
  } else if (flag.paths != Paths::none) {
    action =
        fmt::format("_creg_words {}{}", flag.paths == Paths::files ? "files" : "folders", words);
  }
  if (action != " ") action = " " + action;
  return fmt::format(":{}:{}", escaped(flag.value, special_in_specs), action);
}

std::string flag_specs(const FlagPage& flag) {
  std::string text;
  for (const std::string& name : flag.names) {
    std::string others;
    for (const std::string& other : flag.names) others += (others.empty() ? "" : " ") + other;
    const bool takes = !flag.value.empty();
    text += fmt::format("    '{}{}{}[{}]{}'\n", flag.repeats ? "*" : "(" + others + ")", name,
                        takes && name.starts_with("--") ? "=" : "",
                        escaped(flag.help, special_in_specs),
                        takes ? (flag.may_lack_value ? ":" : "") + value_spec(flag) : "");
  }
  return text;
}

std::string argument_spec(const FlagPage& argument, std::size_t place) {
  return fmt::format("    '{}{}'\n", argument.repeats ? "*" : std::to_string(place),
                     value_spec(argument));
}

/// One function for a command, after those of the commands below it.
void add_function(std::string& text, const CommandPage& page, bool top) {
  for (const CommandPage& one : page.below) add_function(text, one, false);
  text += fmt::format("{}() {{\n", function_name(page));
  text += "  local -a flags=(\n";
  for (const FlagPage& flag : page.flags) text += flag_specs(flag);
  if (page.below.empty()) {
    for (std::size_t i = 0; i < page.arguments.size(); ++i) {
      text += argument_spec(page.arguments[i], i + 1);
    }
  }
  text += "  )\n";
  const std::string_view all = top ? "" : " \"${_creg_all[@]}\"";
  if (top) text += "  local -a _creg_all=(\"${flags[@]}\")\n";
  if (page.below.empty()) {
    text += fmt::format("  _arguments -S \"${{flags[@]}}\"{}\n}}\n\n", all);
    return;
  }
  text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  text += fmt::format(
      "  _arguments -C -S \"${{flags[@]}}\"{} '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command)\n      local -a commands=(\n",
      all);
  for (const CommandPage& one : page.below) {
    text += fmt::format("        '{}:{}'\n", one.name(), escaped(one.about, "\\"));
  }
  text +=
      "      )\n      _describe -t commands command commands\n      ;;\n"
      "    argument)\n      case $words[1] in\n";
  for (const CommandPage& one : page.below) {
    text += fmt::format("        {}) {} ;;\n", one.name(), function_name(one));
  }
  text += "      esac\n      ;;\n  esac\n}\n\n";
}

constexpr std::string_view zsh_functions = R"zsh(#compdef creg
# Completion for zsh, made by: creg completion zsh

# _creg_words words|files|folders WORD…: these, and the paths
_creg_words() {
  local kind=$1 done=1
  shift
  (( $# )) && compadd -- "$@" && done=0
  case $kind in
    files) _files && done=0 ;;
    folders) _files -/ && done=0 ;;
  esac
  return done
}

# _creg_list words WORD…: several joined by commas
_creg_list() {
  shift
  compset -P '*,'
  compadd -S '' -- "$@"
}

)zsh";

}  // namespace

std::string zsh_completion(const CommandPage& creg) {
  std::string text(zsh_functions);
  add_function(text, creg, true);
  // Autoloaded the file is the function; sourced it announces it.
  return text +
         "if [[ $funcstack[1] == _creg ]]; then\n  _creg \"$@\"\nelse\n  compdef _creg creg\nfi\n";
}

}  // namespace creg::cli
