#include "cli/pages/command_page.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "graph/generators.h"
#include "graph/transforms.h"
#include "io/catalogue.h"

namespace creg::cli {
namespace {

/// "N:INT in [1 - 9]" is N to people; a colon in brackets is part of what may be written.
std::string without_checks(const std::string& type) {
  int depth = 0;
  for (std::size_t at = 0; at < type.size(); ++at) {
    if (type[at] == '[') ++depth;
    if (type[at] == ']') --depth;
    if (type[at] == ':' && depth == 0) return type.substr(0, at);
  }
  return type;
}

std::vector<std::string> dataset_words() {
  std::vector<std::string> words = dataset_names();
  for (const std::string& name : synthetic_names()) words.push_back("synthetic:" + name);
  return words;
}

bool is_word(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view others = "0123456789-";
  return !text.empty() && letters.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(std::string(letters) + std::string(others)) ==
             std::string_view::npos;
}

void add_words(FlagPage& flag, const std::vector<std::string>& words) {
  flag.words.insert(flag.words.end(), words.begin(), words.end());
}

/// One of the alternatives that the help shows: a word, or what stands for many.
void add_alternative(FlagPage& flag, std::string_view name, std::string text,
                     const std::vector<std::string>& recipes) {
  // "cuda[:i]", "weight-decay, or several joined by +"
  text = text.substr(0, text.find_first_of("[,"));
  if (is_word(text)) {
    flag.words.push_back(text);
  } else if (text == "DIR") {
    flag.paths = Paths::folders;
  } else if (text.starts_with("FILE") || text == "PATH" || text == "OUT" ||
             text.find('.') != std::string::npos) {
    // "EMB.npy", but no range of numbers
    if (text.find("..") == std::string::npos) flag.paths = Paths::files;
  } else if (name == "RECIPE") {
    flag.paths = Paths::files;
    add_words(flag, recipes);
  } else if (name == "transform") {
    add_words(flag, transform_names());
  } else if (name == "protocol") {
    add_words(flag, split_protocols());
  } else if (name == "dataset") {
    add_words(flag, dataset_words());
  } else if (name == "names") {
    add_words(flag, dataset_names());
  }
}

FlagPage flag_page(const CLI::Option& option, const std::vector<std::string>& recipes) {
  FlagPage flag{.repeats = option.get_items_expected_max() > 1,
                .help = option.get_description(),
                .group = option.get_group()};
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  if (flag.names.empty()) flag.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() == 0) return flag;
  flag.value = without_checks(option.get_type_name());
  // What CLI11 calls a text tells less than its name.
  if (option.get_positional() && flag.value == "TEXT") flag.value = option.get_name(true);
  flag.list = option.get_delimiter() == ',';
  flag.may_lack_value = option.get_items_expected_min() == 0 && !option.get_positional();
  const std::string name =
      option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
  for (std::size_t at = 0; at <= flag.value.size();) {
    const std::size_t end = std::min(flag.value.find('|', at), flag.value.size());
    add_alternative(flag, name, flag.value.substr(at, end - at), recipes);
    at = end + 1;
  }
  return flag;
}

CommandPage page_below(const CLI::App& app, const std::string& before,
                       const std::vector<std::string>& recipes) {
  CommandPage page{.command = before + app.get_name(), .about = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    const FlagPage flag = flag_page(*option, recipes);
    if (flag.names.front().starts_with('-')) page.flags.push_back(flag);
    if (option->get_positional()) {
      page.arguments.push_back(flag);
      page.arguments.back().names = {option->get_name(true)};
    }
  }
  for (const CLI::App* one : app.get_subcommands({})) {
    page.below.push_back(page_below(*one, page.command + " ", recipes));
  }
  return page;
}

}  // namespace

std::string CommandPage::name() const {
  return command.substr(command.rfind(' ') + 1);
}

CommandPage command_page(const CLI::App& app, const std::vector<std::string>& recipes) {
  return page_below(app, "", recipes);
}

const CommandPage& find_page(const CommandPage& page, const std::vector<std::string>& words) {
  const CommandPage* found = &page;
  for (const std::string& word : words) {
    const auto next = std::ranges::find(found->below, word, &CommandPage::name);
    if (next == found->below.end()) {
      std::vector<std::string> names;
      for (const CommandPage& one : found->below) names.push_back(one.name());
      fail_input({.what = "there is no such command below " + found->command,
                  .found = in_quotes(word),
                  .hint = names.empty() ? "" : suggestion(word, names)});
    }
    found = &*next;
  }
  return *found;
}

}  // namespace creg::cli
