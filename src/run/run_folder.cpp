#include "run/run_folder.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <utility>

#include "core/parse_value.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/catalogue.h"
#include "io/edge_split_file.h"
#include "io/file.h"
#include "run/parts.h"
#include "train/parameters.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

std::string absolute_path(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

std::string toml_list(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_string(value);
  return "[" + list + "]";
}

/// What was let pass when the files were read, and has to be again.
std::string reading_toml(const ReadOptions& reading) {
  std::string text;
  if (reading.allow_empty) text += "allow_empty = true\n";
  if (reading.unknown_ids != UnknownIds::error) {
    text += "unknown_ids = " + toml_string(name_of(reading.unknown_ids)) + "\n";
  }
  return text;
}

/// The lines that describe a user's own files.
std::string own_dataset_toml(const DataSpec& data, const std::string& name) {
  std::string text = std::string(own_dataset_head) + "name = " + toml_string(name) + "\n";
  text += "edges = " + toml_string(absolute_path(data.edges)) + "\n";
  if (!data.features.empty()) {
    text += "features = " + toml_string(absolute_path(data.features)) + "\n";
  }
  if (!data.labels.empty()) text += "labels = " + toml_string(absolute_path(data.labels)) + "\n";
  if (!data.splits.empty()) {
    std::vector<std::string> splits;
    for (const std::string& split : data.splits) splits.push_back(absolute_path(split));
    text += "splits = " + toml_list(splits) + "\n";
  }
  text += std::string("directed = ") + (data.directed ? "true" : "false") + "\n";
  return text + reading_toml(data.reading);
}

/// What would be recorded of this plan, but for the seed and the threads of each run.
RunRecord record_of(const RunPlan& plan) {
  RunRecord record;
  record.recipe = plan.recipe;
  record.transforms = plan.data.transforms;
  record.reading = plan.data.reading;
  record.pretrain = plan.parts != nullptr;
  record.parts = plan.parts_from.parts;
  record.pretrain_share = plan.parts_from.share;
  record.calibrate = plan.calibrate;
  record.tensorboard = plan.tensorboard;
  record.on_gpu = plan.device.type != DeviceType::cpu;
  record.precision = plan.precision;
  if (plan.held_out) record.edge_split = plan.held_out->seed;
  if (!plan.data.edges.empty()) {
    record.dataset = absolute_path((plan.directory / "dataset.toml").string());
  } else if (plan.dataset.entry != nullptr) {
    record.dataset = plan.dataset.entry->name;
  } else if (plan.dataset.format == memory_format) {
    record.dataset = std::string(memory_prefix) + plan.graph.name;
  } else {
    const std::string given = plan.dataset.source;
    record.dataset = given.starts_with("synthetic:") ? given : absolute_path(given);
  }
  return record;
}

/// `key = value`, and where the value comes from.
std::string settings_toml(const RunPlan& plan) {
  std::string text;
  for (const Parameter& parameter : parameters_of(plan.config)) {
    text += parameter.key + " = " + toml_value(parameter.get(plan.config));
    const auto origin = plan.origins.find(parameter.key);
    if (origin != plan.origins.end()) text += "  # " + name_of(origin->second);
    text += "\n";
  }
  return text;
}

void write_record(const fs::path& directory, const RunRecord& record, const RunPlan& plan) {
  make_folder(directory);
  std::string text(run_record_head);
  text += "dataset = " + toml_string(record.dataset) + "\n";
  text += "recipe = " + toml_string(record.recipe) + "\n";
  if (!record.transforms.empty()) text += "transforms = " + toml_list(record.transforms) + "\n";
  text += reading_toml(record.reading);
  // Half of all seeds are larger than a TOML integer.
  text += "seed = " + toml_value(std::to_string(record.seed)) + "\n";
  if (record.seeds > 0) text += "seeds = " + std::to_string(record.seeds) + "\n";
  text += "threads = " + std::to_string(record.threads) + "\n";
  if (record.on_gpu) text += "device = \"cuda\"\n";
  if (record.precision != Precision::fp32) {
    text += "precision = " + toml_string(name_of(record.precision)) + "\n";
  }
  if (record.edge_split) {
    text += "edge_split = " + toml_value(std::to_string(*record.edge_split)) + "\n";
  }
  if (record.calibrate > 0) text += "calibrate = " + std::to_string(record.calibrate) + "\n";
  if (record.tensorboard) text += "tensorboard = true\n";
  if (record.pretrain) text += "pretrain = true\n";
  if (!record.parts.empty()) text += "parts = " + toml_string(record.parts) + "\n";
  if (record.pretrain_share > 0) {
    text += "pretrain_share = " + number_text(record.pretrain_share) + "\n";
  }
  write_file(directory / "config.toml", text + settings_toml(plan));
}

void write_held_out(const Context& context, const fs::path& directory, const HeldOutEdges& edges) {
  write_edge_split_file(context, edge_split_path(directory), edges.whole,
                        {.seed = edges.seed, .split = edges.split});
}

void write_own_dataset(const RunPlan& plan) {
  if (plan.data.edges.empty()) return;
  make_folder(plan.directory);
  write_file(plan.directory / "dataset.toml", own_dataset_toml(plan.data, plan.graph.name));
}

void take_split(RunPlan& plan, std::uint64_t seed, EdgeSplit split) {
  Graph train = split.train;
  plan.held_out = std::make_shared<const HeldOutEdges>(
      HeldOutEdges{.whole = std::move(plan.graph), .seed = seed, .split = std::move(split)});
  plan.graph = std::move(train);
}

}  // namespace

TrainConfig config_of(const RunRecord& record, const TrainConfig& program) {
  TrainConfig config;
  for (const Setting& setting : record.settings) {
    if (setting.key == "method") {
      set_kept_method(config, setting.value);
      if (program.added && program.added->name == setting.value) config.added = program.added;
    } else if (setting.key == "encoder") {
      set_kept_encoder(config, setting.value);
      take_added(config, program.encoder.added);
    }
  }
  const std::vector<Parameter> known = parameters_of(config);
  const auto is_known = [&](const std::string& key) {
    return std::any_of(known.begin(), known.end(),
                       [&](const Parameter& parameter) { return parameter.key == key; });
  };
  // A program's own method may have parameters that nobody else knows.
  const auto other = [&](const Setting& setting) {
    return setting.key == "method" || setting.key == "encoder" ||
           (config.added && !is_known(setting.key));
  };
  apply_settings(config, record.settings, record.file, other);
  return config;
}

std::optional<bool> truth_of(const RunRecord& record, const std::string& key) {
  std::optional<bool> value;
  for (const Setting& setting : record.settings) {
    if (setting.key != key) continue;
    if (setting.value != "true" && setting.value != "false") {
      fail_input({.what = key + " is neither true nor false",
                  .file = record.file,
                  .place = "line " + std::to_string(setting.line),
                  .found = in_quotes(setting.value)});
    }
    value = setting.value == "true";
  }
  return value;
}

int smooth_of(const RunRecord& record) {
  TrainConfig config;
  for (const Setting& setting : record.settings) {
    if (setting.key == "smooth") apply_settings(config, {setting}, record.file);
  }
  return config.smooth;
}

fs::path seed_folder(const RunPlan& plan, std::uint64_t seed) {
  return plan.several ? plan.directory / ("seed-" + std::to_string(seed)) : plan.directory;
}

void write_records(const Context& context, const RunPlan& plan) {
  write_own_dataset(plan);
  RunRecord record = record_of(plan);
  const auto write = [&](const fs::path& directory) {
    write_record(directory, record, plan);
    if (plan.held_out) write_held_out(context, directory, *plan.held_out);
  };
  record.threads = plan.several ? plan.all_threads : plan.threads;
  record.seed = plan.several ? context.seed() : plan.seeds.front();
  record.seeds = plan.several ? static_cast<int>(plan.seeds.size()) : 0;
  write(plan.directory);
  if (plan.several) {
    record.seeds = 0;
    record.threads = plan.threads;
    for (const std::uint64_t seed : plan.seeds) {
      record.seed = seed;
      write(seed_folder(plan, seed));
    }
  }
  if (plan.parts) keep_parts(plan.directory, *plan.whole, *plan.parts);
}

void check_same_run(const RunPlan& plan) {
  const RunRecord kept = read_record(plan.directory);
  const auto same = [&](const std::string& what, const std::string& there,
                        const std::string& here) {
    if (there == here) return;
    fail_input({.what = "the folder holds runs of another " + what,
                .file = plan.directory.string(),
                .found = there,
                .expected = here,
                .hint = "--out DIR writes elsewhere, --overwrite first removes what is there"});
  };
  const RunRecord wanted = record_of(plan);
  const auto split = [](const RunRecord& record) {
    return record.edge_split ? std::to_string(*record.edge_split) : "none";
  };
  same("dataset", kept.dataset, wanted.dataset);
  same("edge split", split(kept), split(wanted));
  same("precision", name_of(kept.precision), name_of(wanted.precision));
  const TrainConfig config = config_of(kept, plan.config);
  for (const Parameter& parameter : parameters_of(plan.config)) {
    same(parameter.key, parameter.get(config), parameter.get(plan.config));
  }
}

void write_missing_records(const Context& context, const RunPlan& plan) {
  RunRecord record = record_of(plan);
  record.threads = plan.threads;
  const auto keep_edges = [&](const fs::path& folder) {
    if (!plan.held_out || is_there(edge_split_path(folder))) return;
    write_held_out(context, folder, *plan.held_out);
  };
  if (plan.several) keep_edges(plan.directory);
  for (const std::uint64_t seed : plan.seeds) {
    const fs::path folder = seed_folder(plan, seed);
    record.seed = seed;
    if (!is_there(folder / "config.toml")) write_record(folder, record, plan);
    keep_edges(folder);
  }
  if (plan.parts && !is_there(parts_path(plan.directory))) {
    keep_parts(plan.directory, *plan.whole, *plan.parts);
  }
}

fs::path edge_split_path(const fs::path& directory) {
  return directory / "edge-split.json";
}

void hold_out_edges(const Context& context, RunPlan& plan, std::uint64_t seed) {
  take_split(plan, seed, split_edges(context, plan.graph, seed));
}

void hold_out_kept_edges(const Context& context, RunPlan& plan, std::uint64_t seed,
                         const fs::path& directory) {
  const fs::path path = edge_split_path(directory);
  if (!is_there(path)) {
    hold_out_edges(context, plan, seed);
    return;
  }
  EdgeSplitFile kept = read_edge_split_file(context, map_file(path), plan.graph);
  if (kept.seed != seed) {
    fail_input({.what = "the kept edge split is not that of the run",
                .file = path.string(),
                .found = "seed " + std::to_string(kept.seed),
                .expected = "seed " + std::to_string(seed) + ", as config.toml says"});
  }
  take_split(plan, seed, std::move(kept.split));
}

}  // namespace creg
