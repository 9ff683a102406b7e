#include <fmt/format.h>

#include <functional>

#include "cli/pages/completion.h"

namespace creg::cli {
namespace {

// Words are taken from the line itself: bash has cut its own at every colon and equals sign. What
// is offered then lacks what stands before the last of these, which bash leaves alone.
constexpr std::string_view bash_functions = R"bash(
_creg() {
  local line=${COMP_LINE:0:COMP_POINT} command=creg flag= words= paths= list= flags= below= i
  local -a typed
  read -a typed <<<"$line"
  [[ $line == *[[:blank:]] ]] && typed+=("")
  local last=$((${#typed[@]} - 1))
  local word=${typed[last]}
  for ((i = 1; i < last; ++i)); do
    flag=
    case ${typed[i]} in
      -*=*) ;;
      -*)
        if _creg_value "$command" "${typed[i]}"; then
          flag=${typed[i]}
          ((++i))
        fi
        ;;
      *)
        _creg_command "$command"
        [[ " $below " == *" ${typed[i]} "* ]] && command+=" ${typed[i]}"
        ;;
    esac
  done
  # Its value is behind the last word that was looked at.
  ((i == last + 1)) || flag=
  if [[ $word == --*=* ]]; then
    flag=${word%%=*}
    word=${word#*=}
  fi
  words= paths= list= flags= below=
  if [[ -n $flag ]]; then
    _creg_value "$command" "$flag" || return
  else
    _creg_command "$command"
    if [[ $word == -* ]]; then
      words="$flags $(_creg_command creg && echo "$flags")"
      paths=
    elif [[ -n $below ]]; then
      words=$below
    fi
  fi
  local before=
  [[ -n $list && $word == *,* ]] && before=${word%,*},
  local IFS=$'\n'
  COMPREPLY=($(IFS=' ' compgen -P "$before" -W "$words" -- "${word#"$before"}"))
  case $paths in
    files) COMPREPLY+=($(compgen -f -- "$word")) ;;
    folders) COMPREPLY+=($(compgen -d -- "$word")) ;;
  esac
  [[ -z $paths ]] || compopt -o filenames 2>/dev/null
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local cut=${word%"${word##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  fi
}
complete -F _creg creg
)bash";

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What the variables of the script are to be for a value.
std::string bash_value(const FlagPage& flag) {
  std::string text;
  if (!flag.words.empty()) text += fmt::format(" words='{}'", joined_words(flag.words));
  if (flag.paths != Paths::none) {
    text += fmt::format(" paths={}", flag.paths == Paths::files ? "files" : "folders");
  }
  if (flag.list) text += " list=yes";
  return text.empty() ? " ;" : text + " ;";
}

void for_each_page(const CommandPage& page, const std::function<void(const CommandPage&)>& visit) {
  visit(page);
  for (const CommandPage& one : page.below) for_each_page(one, visit);
}

std::string command_cases(const CommandPage& creg) {
  std::string text;
  for_each_page(creg, [&](const CommandPage& page) {
    std::vector<std::string> flags;
    for (const FlagPage& flag : page.flags) {
      flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    }
    std::vector<std::string> below;
    for (const CommandPage& one : page.below) below.push_back(one.name());
    text += fmt::format("    '{}') flags='{}' below='{}'{};\n", page.command, joined_words(flags),
                        joined_words(below),
                        page.arguments.empty() ? " ;" : bash_value(page.arguments.front()));
  });
  return text;
}

/// Of the flags that take a value. Those of creg itself are every command's.
std::string value_cases(const CommandPage& creg) {
  std::string text;
  for_each_page(creg, [&](const CommandPage& page) {
    for (const FlagPage& flag : page.flags) {
      if (flag.value.empty() || flag.may_lack_value) continue;
      std::string names;
      for (const std::string& name : flag.names) {
        names += fmt::format("{}'{}:{}'", names.empty() ? "" : "|", page.command, name);
      }
      text += fmt::format("    {}){};\n", names, bash_value(flag));
    }
  });
  return text;
}

}  // namespace

std::string bash_completion(const CommandPage& creg) {
  return fmt::format(R"bash(# Completion for bash, made by: creg completion bash

# _creg_command COMMAND: what can stand behind it.
_creg_command() {{
  case $1 in
{}  esac
}}

# _creg_value COMMAND FLAG: what the flag's value can be; fails where it takes none.
_creg_value() {{
  case $1:$2 in
{}    creg:*) return 1 ;;
    *) _creg_value creg "$2" ;;
  esac
}}
{})bash",
                     command_cases(creg), value_cases(creg), bash_functions);
}

}  // namespace creg::cli
