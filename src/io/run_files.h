// The files of a run by their names and their first lines: what tells them from a user's.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace creg {

/// The first lines of config.toml and dataset.toml. What runs write there is not all UTF-8: paths
/// may be any bytes, and stand there as they are.
inline constexpr std::string_view run_record_head =
    "# A run of creg train; `creg train --resume` reads it.\n";
inline constexpr std::string_view own_dataset_head = "# The files of a run of creg train.\n";

/// A name that TensorBoard knows such files by.
inline constexpr std::string_view events_file_name = "events.out.tfevents";

/// config.toml comes last: by it the others are known.
inline constexpr std::array<std::string_view, 12> run_outputs = {
    "result.json",    "finetune.json",     "embedding.npy", "nodes.tsv",
    events_file_name, "calibration.jsonl", "metrics.jsonl", "checkpoint.pt",
    "parts.json",     "edge-split.json",   "dataset.toml",  "config.toml"};
/// Of creg eval link, beside the folders of its splits.
inline constexpr std::string_view link_output = "link.json";

/// True where the folder has the config.toml of a run, by its first line.
bool holds_run(const std::filesystem::path& directory);

/// True for a dataset.toml that a run wrote, by its first line.
bool is_own_dataset_file(const std::filesystem::path& path);

/// For commands that write one file of the user's choice: an input error where it is one that a run
/// wrote or will write in this folder, or nothing that a file can replace (check_replaceable). Told
/// before the work is done.
void check_output_file(const std::filesystem::path& path);

}  // namespace creg
