#include "cli/options/short_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/overview.h"
#include "creg/methods/entry.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

/// The parameter behind a flag, "--no-…" included; null: the flag is no parameter.
const Parameter* parameter_of_flag(const std::string& name) {
  for (const Parameter& parameter : train_parameters()) {
    const std::string flag = parameter.flag().substr(2);
    if (name == flag || (parameter.truth && name == "no-" + flag)) return &parameter;
  }
  return nullptr;
}

const MethodEntry* named_method(const RunSpec& spec) {
  const auto named = spec.settings.find("method");
  if (named == spec.settings.end()) return nullptr;
  for (const MethodEntry& method : shipped_methods()) {
    if (method.name == named->second) return &method;
  }
  return nullptr;
}

class ShortHelp final : public HelpFormatter {
 public:
  ShortHelp(CLI::App& command, const RunSpec& spec, std::set<std::string> shown)
      : command_(command), spec_(spec), shown_(std::move(shown)) {}

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (app != &command_ || mode != CLI::AppFormatMode::Normal) {
      return HelpFormatter::make_help(app, std::move(name), mode);
    }
    const MethodEntry* const method = named_method(spec_);
    std::vector<std::pair<CLI::Option*, std::string>> hidden;
    for (CLI::Option* option : command_.get_options()) {
      if (option == command_.get_help_ptr() || shows(*option, method)) continue;
      hidden.emplace_back(option, option->get_group());
      option->group("");
    }
    std::string text = HelpFormatter::make_help(app, std::move(name), mode);
    for (const auto& [option, group] : hidden) option->group(group);
    const std::string all = fmt::format("{} --help-all shows all {} flags", command_line(),
                                        command_.get_options().size());
    if (method != nullptr) {
      return fmt::format("{}: {}\n\n{}\n{}\n", method->name, method->about, text, all);
    }
    return fmt::format("{}\n{} --method M --help shows those of a method; {}\n", text,
                       command_line(), all);
  }

 private:
  bool shows(const CLI::Option& option, const MethodEntry* method) const {
    if (option.get_positional()) return true;
    const std::vector<std::string>& names = option.get_lnames();
    const std::string name = names.empty() ? option.get_name() : names.front();
    const Parameter* const parameter = parameter_of_flag(name);
    if (method != nullptr) {
      return parameter != nullptr && std::find(parameter->methods.begin(), parameter->methods.end(),
                                               method->name) != parameter->methods.end();
    }
    if (!shown_.empty()) return shown_.contains(name);
    static const std::set<std::string> usual = {"method", "encoder", "reg", "dim", "lr", "epochs"};
    return parameter == nullptr || usual.contains(name);
  }

  std::string command_line() const {
    std::string words = command_.get_name();
    for (const CLI::App* up = command_.get_parent(); up != nullptr; up = up->get_parent()) {
      words = up->get_name() + " " + words;
    }
    return words;
  }

  CLI::App& command_;
  const RunSpec& spec_;
  std::set<std::string> shown_;
};

}  // namespace

void use_short_help(CLI::App& command, const RunSpec& spec, const std::set<std::string>& shown) {
  command.formatter(std::make_shared<ShortHelp>(command, spec, shown));
}

}  // namespace creg::cli
