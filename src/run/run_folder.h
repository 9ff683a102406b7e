// The folder of a run: what is written before training, and read again to continue or to evaluate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "creg/run/run.h"
#include "io/run_files.h"
#include "run/run_record.h"

namespace creg {

/// The parameters of a record; what is none, and a wrong value, are input errors that name the
/// line. A method or an encoder that this library does not have is that of the `program`, where it
/// has one of that name; else it is known by its name alone (set_kept_method), and its own
/// parameters not at all.
TrainConfig config_of(const RunRecord& record, const TrainConfig& program = {});

/// Of a parameter that is true or false; nothing where the record does not have it.
std::optional<bool> truth_of(const RunRecord& record, const std::string& key);

/// How often evaluations smooth the run's embedding.
int smooth_of(const RunRecord& record);

/// Writes what the runs begin with into the plan's folder, and into those of the seeds where there
/// are several: config.toml, the description of a user's own files, and the edges and nodes that
/// they do not see. The folder is claimed for it (run/claimed_folder.h).
void write_records(const Context& context, const RunPlan& plan);

/// An input error unless `plan` is what the folder's record says.
void check_same_run(const RunPlan& plan);

/// The same as write_records for what is not there alone: seeds that were not asked for before, and
/// what a killed run had not come to.
void write_missing_records(const Context& context, const RunPlan& plan);

/// DIR, or DIR/seed-<s> where there are several.
std::filesystem::path seed_folder(const RunPlan& plan, std::uint64_t seed);

/// DIR/edge-split.json: the edges that the run in DIR does not see.
std::filesystem::path edge_split_path(const std::filesystem::path& directory);

/// The plan on the training edges of a fresh split.
void hold_out_edges(const Context& context, RunPlan& plan, std::uint64_t seed);

/// The plan on the training edges of the split kept in `directory`, or, where a run was stopped
/// before it was kept, of the same one made again. A kept split of another seed is an input error.
void hold_out_kept_edges(const Context& context, RunPlan& plan, std::uint64_t seed,
                         const std::filesystem::path& directory);

}  // namespace creg
