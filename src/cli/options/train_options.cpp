#include "cli/options/train_options.h"

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "graph/transforms.h"
#include "io/catalogue.h"
#include "io/file.h"
#include "train/parameters.h"
#include "train/recipes.h"

namespace creg::cli {

void add_train_options(CLI::App& command, TrainOptions& options) {
  command
      .add_option("--recipe", options.recipe,
                  "Settings from a TOML file, or none; default the shipped recipe of this method "
                  "and dataset, or of the method")
      ->type_name("FILE|none");
  add_parameter_flags(command, options);
}

void add_parameter_flags(CLI::App& command, TrainOptions& options) {
  const TrainConfig defaults;
  for (const Parameter& parameter : train_parameters()) {
    const std::string group = parameter.group;
    const std::string key = parameter.key;
    if (parameter.truth) {
      const std::string off = "--no-" + parameter.flag().substr(2);
      command
          .add_flag_callback(
              parameter.flag(), [&options, key] { options.values[key] = "true"; },
              parameter.help_with_methods())
          ->group(group);
      command
          .add_flag_callback(
              off, [&options, key] { options.values[key] = "false"; }, "not " + parameter.flag())
          ->group(group);
      continue;
    }
    command
        .add_option_function<std::string>(
            parameter.flag(),
            [&options, key](const std::string& text) { options.values[key] = text; },
            parameter.help_with_methods() + " [" + parameter.get(defaults) + "]")
        ->type_name(parameter.values)
        ->group(group);
  }
}

namespace {

const Recipe* recipe_of(const std::string& method, const Dataset& dataset) {
  return find_recipe(method, dataset.entry == nullptr ? "" : std::string(dataset.entry->name));
}

/// What batches cannot do and no flag asks for gives way, and the log says so.
void settle_batches(const Context& context, const std::map<std::string, std::string>& flags,
                    TrainConfig& config) {
  const MethodEntry& method = method_of(config);
  if (method.steps != StepsBy::neighbourhoods) return;
  if (!runs_in_batches(config.encoder.kind) && !flags.contains("encoder")) {
    config.encoder.kind = EncoderKind::sage;
    if (!flags.contains("layers")) {
      config.encoder.layers = static_cast<int>(config.batch.fanouts.size());
    }
    context.log().write(LogLevel::info, "in batches: encoder sage, layers " +
                                            std::to_string(config.encoder.layers));
  }
  for (const auto& [key, value] : method.in_batches) {
    const Parameter& parameter = find_parameter(key);
    if (flags.contains(key) || parameter.get(config) == value) continue;
    parameter.set(config, value);
    context.log().write(LogLevel::info, "in batches: " + key + " " + value);
  }
}

}  // namespace

ChosenRun choose_run(const Context& context, const TrainOptions& options,
                     const GlobalOptions& globals) {
  ChosenRun run;
  DatasetOptions chosen = options.dataset;
  const bool from_file = !options.recipe.empty() && options.recipe != "none";
  if (from_file) {
    const Bytes file = map_file(options.recipe);
    const std::string dataset = apply_recipe(run.config, std::string(file.text()), options.recipe);
    if (chosen.dataset.empty() && chosen.edges.empty()) chosen.dataset = dataset;
    run.recipe = options.recipe;
  }
  run.dataset = open_chosen(context, chosen, globals);
  run.transforms = chosen.transforms;
  if (const auto method = options.values.find("method"); method != options.values.end()) {
    find_parameter("method").set(run.config, method->second);
  }
  if (!from_file) {
    const Recipe* shipped =
        options.recipe == "none" ? nullptr : recipe_of(run.config.method, run.dataset);
    if (shipped != nullptr) {
      apply_recipe(run.config, shipped->text, shipped->path);
      run.recipe = "recipes/" + shipped->path;
    } else {
      run.recipe = "none";
    }
  }
  for (const Parameter& parameter : train_parameters()) {
    const auto value = options.values.find(parameter.key);
    if (value == options.values.end()) continue;
    try {
      parameter.set(run.config, value->second);
    } catch (const Error& error) {
      ErrorDetail detail = error.detail();
      detail.file = parameter.flag();
      fail_input(std::move(detail));
    }
  }
  if (run.config.batch.size > 0) settle_batches(context, options.values, run.config);
  check_config(run.config);
  context.log().write(LogLevel::info, run.recipe == "none" ? "no recipe: the defaults and the flags"
                                                           : "recipe: " + run.recipe);
  run.graph = prepare_graph(context, run.dataset, chosen.transforms);
  if (run.config.link_counts) {
    run.graph.adjacency = sum_directions(context, run.dataset.raw).adjacency;
  }
  return run;
}

}  // namespace creg::cli
