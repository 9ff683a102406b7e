#include "cli/options/train_options.h"

#include "train/parameters.h"

namespace creg::cli {

void add_train_options(CLI::App& command, RunSpec& spec) {
  CLI::Option* const recipe =
      command
          .add_option("--recipe", spec.recipe,
                      "Settings from a TOML file, or none; default the shipped recipe of this "
                      "method and dataset, else --preset auto")
          ->type_name("FILE|auto|none");
  command
      .add_option("--preset", spec.recipe,
                  "auto: the method's own settings for any graph, also where the dataset has a "
                  "recipe; none: the defaults below")
      ->type_name("auto|none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->excludes(recipe);
  add_parameter_flags(command, spec);
}

void add_parameter_flags(CLI::App& command, RunSpec& spec) {
  const TrainConfig defaults;
  for (const Parameter& parameter : train_parameters()) {
    const std::string group = parameter.group;
    const std::string key = parameter.key;
    if (parameter.truth) {
      const std::string off = "--no-" + parameter.flag().substr(2);
      command
          .add_flag_callback(
              parameter.flag(), [&spec, key] { spec.settings[key] = "true"; },
              parameter.help_with_methods())
          ->group(group);
      command
          .add_flag_callback(
              off, [&spec, key] { spec.settings[key] = "false"; }, "not " + parameter.flag())
          ->group(group);
      continue;
    }
    command
        .add_option_function<std::string>(
            parameter.flag(), [&spec, key](const std::string& text) { spec.settings[key] = text; },
            parameter.help_with_methods() + " [" + parameter.get(defaults) + "]")
        ->type_name(parameter.values)
        ->group(group);
  }
}

RunPlan plan_chosen(const Context& context, RunSpec spec, const GlobalOptions& globals) {
  spec.data.data_dir = globals.data_dir;
  return plan_run(context, spec);
}

RunPlan plan_dry(const Context& context, RunSpec spec, const GlobalOptions& globals) {
  spec.data.data_dir = globals.data_dir;
  return plan_dry_run(context, spec);
}

}  // namespace creg::cli
