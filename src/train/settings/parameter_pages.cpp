// The table of parameters as texts: config.toml, the template of recipes, the page in the docs.
#include <string>

#include "train/parameters.h"

namespace creg {

std::string config_toml(const TrainConfig& config) {
  std::string text;
  for (const Parameter& parameter : train_parameters()) {
    text += parameter.key + " = " + toml_value(parameter.get(config)) + "\n";
  }
  return text;
}

std::string recipe_template() {
  const TrainConfig defaults;
  std::string text =
      "# A recipe with every key at its default: copy it, take the # away where you want another\n"
      "# value. `creg train --recipe FILE`; a flag comes before the recipe.\n\n"
      "# where the settings come from, in words\n#source = \"\"\n\n"
      "# used when no --dataset is given\n#dataset = \"cora\"\n";
  std::string group;
  for (const Parameter& parameter : train_parameters()) {
    if (parameter.group != group) {
      group = parameter.group;
      text += "\n# --- " + group + " ---\n";
    }
    text += "\n# " + parameter.help_with_methods() + "\n# " + parameter.values + "\n#" +
            parameter.key + " = " + toml_value(parameter.get(defaults)) + "\n";
  }
  return text;
}

std::string parameters_markdown() {
  const TrainConfig defaults;
  std::string text =
      "# Parameters\n\nEvery parameter of a run, as a flag of `creg train` and as a key of a "
      "recipe. `creg train --parameters` prints this page.\n";
  std::string group;
  for (const Parameter& parameter : train_parameters()) {
    if (parameter.group != group) {
      group = parameter.group;
      text += "\n## " + group + "\n\n| flag | key | values | default | what it does |\n" +
              "|---|---|---|---|---|\n";
    }
    std::string values = parameter.values;
    for (std::size_t i = 0; (i = values.find('|', i)) != std::string::npos; i += 2) {
      values.replace(i, 1, "\\|");
    }
    text += "| `" + parameter.flag() + "` | `" + parameter.key + "` | " + values + " | `" +
            parameter.get(defaults) + "` | " + parameter.help_with_methods() + " |\n";
  }
  return text;
}

}  // namespace creg
