// The parameters of a run: one table from which flags, recipe keys, config.toml and
// docs/parameters.md are made.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/train/config.h"
#include "io/settings_file.h"

namespace creg {

struct Parameter {
  std::string key;     ///< in TOML; the flag is the same with '-' for '_'
  std::string group;   ///< heading in help and docs
  std::string values;  ///< what may be written: "0..1", "dot|bilinear"
  std::string help;
  bool truth = false;                ///< true or false: a flag without a value
  bool whole = false;                ///< a whole number
  std::vector<std::string> methods;  ///< that look at it; empty: it is no matter of the method
  /// Sets the value from its text; an input error names the key, the value and the range.
  std::function<void(TrainConfig&, const std::string&)> set;
  std::function<std::string(const TrainConfig&)> get;

  std::string flag() const;
  /// The help, with the methods before it where it is a matter of some only.
  std::string help_with_methods() const;
};

const std::vector<Parameter>& train_parameters();

/// These, and the own ones of a program's method.
std::vector<Parameter> parameters_of(const TrainConfig& config);

/// An unknown key is an input error with suggestions.
const Parameter& find_parameter(std::string_view key);
/// The same among parameters_of.
Parameter find_parameter(std::string_view key, const TrainConfig& config);

/// Sets the method that a file of a run names. One that this library does not have was a program's
/// own: it is known by its name alone, and an input error where it would have to train.
void set_kept_method(TrainConfig& config, const std::string& name);
/// The same of an encoder.
void set_kept_encoder(TrainConfig& config, const std::string& name);
/// Puts a program's own encoder in the place of the configuration's, where that has its name.
void take_added(TrainConfig& config, const std::shared_ptr<const AddedEncoder>& added);

/// Settings applied in order. Keys that are no parameter are handed to `other`, which says whether
/// it knows them; those it does not are input errors that name `file` and the line.
void apply_settings(TrainConfig& config, const std::vector<Setting>& settings,
                    const std::string& file, const std::function<bool(const Setting&)>& other = {});

/// `key = value` lines, in the order of the table.
std::string config_toml(const TrainConfig& config);

/// recipes/template.toml: every key, commented out, with its default.
std::string recipe_template();

/// docs/parameters.md.
std::string parameters_markdown();

}  // namespace creg
