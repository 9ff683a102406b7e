#include "train/recipes.h"

#include "io/settings_file.h"
#include "train/parameters.h"

namespace creg {

bool is_recipe_file(const std::string& asked) {
  return !asked.empty() && asked != "none" && asked != "auto";
}

const Recipe* find_recipe(const std::string& method, const std::string& dataset) {
  const Recipe* general = nullptr;
  for (const Recipe& recipe : shipped_recipes()) {
    if (recipe.path == method + "/" + dataset + ".toml") return &recipe;
    if (recipe.path == method + "/default.toml") general = &recipe;
  }
  return general;
}

std::string apply_recipe(TrainConfig& config, const std::string& text, const std::string& file) {
  std::string dataset;
  apply_settings(config, read_settings(Bytes::from_string(text, file)), file,
                 [&](const Setting& setting) {
                   if (setting.key == "dataset") dataset = setting.value;
                   return setting.key == "dataset" || setting.key == "source";
                 });
  return dataset;
}

}  // namespace creg
