#include "cli/run_folder.h"

#include <charconv>

#include <memory>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/catalogue.h"
#include "io/file.h"
#include "io/settings_file.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// The lines that describe a user's own files.
std::string own_dataset_toml(const DatasetOptions& options, const std::string& name) {
  std::string text = "name = " + toml_string(name) + "\n";
  text += "edges = " + toml_string(absolute(options.edges)) + "\n";
  if (!options.features.empty()) {
    text += "features = " + toml_string(absolute(options.features)) + "\n";
  }
  if (!options.labels.empty()) text += "labels = " + toml_string(absolute(options.labels)) + "\n";
  if (!options.splits.empty()) {
    std::string list;
    for (const std::string& split : options.splits) {
      list += (list.empty() ? "" : ", ") + toml_string(absolute(split));
    }
    text += "splits = [" + list + "]\n";
  }
  text += std::string("directed = ") + (options.own.directed ? "true" : "false") + "\n";
  return text;
}

std::uint64_t whole_number(const Setting& setting, const std::string& file) {
  std::uint64_t value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc() || stop != end) {
    fail_input({.what = "a wrong value for " + in_quotes(setting.key),
                .file = file,
                .place = "line " + std::to_string(setting.line),
                .found = in_quotes(setting.value),
                .expected = "a whole number"});
  }
  return value;
}

}  // namespace

RunRecord record_run(const std::filesystem::path& directory, const ChosenRun& run,
                     const DatasetOptions& options) {
  RunRecord record;
  record.recipe = run.recipe;
  record.transforms = run.transforms;
  record.config = run.config;
  record.pretrain = run.pretrain;
  if (run.held_out) record.edge_split = run.held_out->file.seed;
  if (!options.edges.empty()) {
    std::filesystem::create_directories(directory);
    const std::filesystem::path file = directory / "dataset.toml";
    write_file(file, own_dataset_toml(options, run.graph.name));
    record.dataset = absolute(file.string());
  } else if (run.dataset.entry != nullptr) {
    record.dataset = run.dataset.entry->name;
  } else {
    const std::string given = run.dataset.source;
    record.dataset = given.starts_with("synthetic:") ? given : absolute(given);
  }
  return record;
}

void write_record(const std::filesystem::path& directory, const RunRecord& record) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) fail_errno(error.value(), "cannot make the folder of the run", directory.string());
  const std::filesystem::path file = directory / "config.toml";
  if (!is_there(file)) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().filename() == "dataset.toml") continue;
      fail_input({.what = "the folder holds something that is no run",
                  .file = directory.string(),
                  .found = entry.path().filename().string(),
                  .expected = "an empty folder, a new one, or that of an earlier run",
                  .hint = "choose another one with --out"});
    }
  }
  std::string text = "# A run of creg train; `creg train --resume` reads it.\n";
  text += "dataset = " + toml_string(record.dataset) + "\n";
  text += "recipe = " + toml_string(record.recipe) + "\n";
  if (!record.transforms.empty()) {
    std::string list;
    for (const std::string& name : record.transforms) {
      list += (list.empty() ? "" : ", ") + toml_string(name);
    }
    text += "transforms = [" + list + "]\n";
  }
  // Half of all seeds are larger than a TOML integer.
  text += "seed = " + toml_value(std::to_string(record.seed)) + "\n";
  if (record.seeds > 0) text += "seeds = " + std::to_string(record.seeds) + "\n";
  text += "threads = " + std::to_string(record.threads) + "\n";
  if (record.edge_split) {
    text += "edge_split = " + toml_value(std::to_string(*record.edge_split)) + "\n";
  }
  if (record.calibrate > 0) text += "calibrate = " + std::to_string(record.calibrate) + "\n";
  if (record.pretrain) text += "pretrain = true\n";
  write_file(file, text + config_toml(record.config));
}

RunRecord read_record(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "config.toml";
  if (!is_there(path)) {
    fail_input({.what = "no run to resume there",
                .file = directory.string(),
                .expected = "a folder that creg train wrote, with config.toml in it"});
  }
  const std::string file = path.string();
  RunRecord record;
  apply_settings(record.config, read_settings(map_file(path)), file, [&](const Setting& setting) {
    if (setting.key == "dataset") {
      record.dataset = setting.value;
    } else if (setting.key == "recipe") {
      record.recipe = setting.value;
    } else if (setting.key == "transforms") {
      std::size_t begin = 0;
      while (begin <= setting.value.size()) {
        const std::size_t end = std::min(setting.value.find('+', begin), setting.value.size());
        record.transforms.push_back(setting.value.substr(begin, end - begin));
        begin = end + 1;
      }
    } else if (setting.key == "seed") {
      record.seed = whole_number(setting, file);
    } else if (setting.key == "seeds") {
      record.seeds = static_cast<int>(whole_number(setting, file));
    } else if (setting.key == "threads") {
      record.threads = static_cast<int>(whole_number(setting, file));
    } else if (setting.key == "edge_split") {
      record.edge_split = whole_number(setting, file);
    } else if (setting.key == "calibrate") {
      record.calibrate = static_cast<int>(whole_number(setting, file));
    } else if (setting.key == "pretrain") {
      record.pretrain = setting.value == "true";
    } else {
      return false;
    }
    return true;
  });
  return record;
}

std::filesystem::path edge_split_path(const std::filesystem::path& directory) {
  return directory / "edge-split.json";
}

void hold_out_edges(const Context& context, ChosenRun& run, std::uint64_t seed) {
  EdgeSplit split = split_edges(context, run.graph, seed);
  Graph train = split.train;
  run.held_out = std::make_shared<const HeldOutEdges>(HeldOutEdges{
      .whole = std::move(run.graph), .file = {.seed = seed, .split = std::move(split)}});
  run.graph = std::move(train);
}

void hold_out_kept_edges(const Context& context, ChosenRun& run, std::uint64_t seed,
                         const std::filesystem::path& directory) {
  const std::filesystem::path path = edge_split_path(directory);
  if (!is_there(path)) {
    hold_out_edges(context, run, seed);
    return;
  }
  EdgeSplitFile kept = read_edge_split_file(context, map_file(path), run.graph);
  if (kept.seed != seed) {
    fail_input({.what = "the kept edge split is not that of the run",
                .file = path.string(),
                .found = "seed " + std::to_string(kept.seed),
                .expected = "seed " + std::to_string(seed) + ", as config.toml says"});
  }
  Graph train = kept.split.train;
  run.held_out = std::make_shared<const HeldOutEdges>(
      HeldOutEdges{.whole = std::move(run.graph), .file = std::move(kept)});
  run.graph = std::move(train);
}

std::filesystem::path default_run_folder(const ChosenRun& run) {
  std::string name = run.graph.name + "-" + run.config.method;
  for (char& c : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
    if (!plain) c = '-';
  }
  return std::filesystem::path("runs") / name;
}

}  // namespace creg::cli
