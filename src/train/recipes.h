// Recipes: the settings behind each published number, inside the program.
#pragma once

#include <string>
#include <vector>

#include "creg/train/config.h"

namespace creg {

struct Recipe {
  std::string path;  ///< below recipes/: "ml/cora.toml"
  std::string text;
};

/// The recipes/ folder as it was when this program was built.
const std::vector<Recipe>& shipped_recipes();

/// The shipped recipe of a method and a dataset; else the method's own, default.toml; else null.
const Recipe* find_recipe(const std::string& method, const std::string& dataset);

/// Whether what was asked for is a file: not "none", "auto" or nothing.
bool is_recipe_file(const std::string& asked);

/// A recipe's settings on top of `config`. `dataset` (checked by nobody here) and `source` are
/// known beside the parameters; the dataset is returned, or an empty string.
std::string apply_recipe(TrainConfig& config, const std::string& text, const std::string& file);

}  // namespace creg
