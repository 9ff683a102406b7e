#include "run/folder_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/run_files.h"
#include "io/seed_folders.h"
#include "io/write_lock.h"
#include "run/run_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

bool is_run_output(std::string_view name) {
  return std::find(run_outputs.begin(), run_outputs.end(), name) != run_outputs.end();
}

bool is_output(std::string_view name) {
  return is_run_output(name) || name == link_output;
}

/// The name of a seed's or a split's folder.
bool is_part(const std::string& name) {
  return is_numbered(name, "seed-") || is_numbered(name, "split-");
}

void append(std::vector<fs::path>& to, const std::vector<fs::path>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<fs::directory_entry> entries_of(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return {};
  std::vector<fs::directory_entry> entries;
  for (const fs::path& path : list_folder(directory)) entries.emplace_back(path, error);
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The folder of a seed or a split, in that of its run.
void add_part(FolderContents& contents, const fs::path& folder) {
  const FolderContents part = look_into(folder);
  const bool split = is_numbered(folder, "split-");
  if (part.run && !contents.run && !split) {
    // A run of its own, which happens to be called so.
    contents.others.push_back(folder);
    return;
  }
  append(contents.outputs, part.outputs);
  append(contents.leftovers, part.leftovers);
  append(contents.foreign, part.foreign);
  if (is_there(folder / folder_lock_name)) contents.leftovers.push_back(folder / folder_lock_name);
  append(contents.folders, part.folders);
  // A folder that is empty may be one that a killed run has just made.
  if (part.run || part.free()) {
    contents.folders.push_back(folder);
  } else {
    contents.others.push_back(folder);
  }
  contents.links = contents.links || (part.run && split);
}

std::int64_t whole_lines(const fs::path& path) {
  if (!is_file(path)) return 0;
  const Bytes file = map_file(path);
  const std::string_view text = file.text();
  return std::count(text.begin(), text.end(), '\n');
}

std::string setting_of(const RunRecord& record, std::string_view key) {
  for (const Setting& setting : record.settings) {
    if (setting.key == key) return setting.value;
  }
  return "?";
}

/// How far the run has come.
std::string state_of(const fs::path& directory, const RunRecord& record) {
  if (is_there(directory / "result.json")) return "finished";
  if (record.seeds == 0) {
    return fmt::format("{} of {} epochs done", whole_lines(directory / "metrics.jsonl"),
                       setting_of(record, "epochs"));
  }
  std::int64_t finished = 0;
  for (const fs::path& folder : seed_folders(directory)) {
    finished += is_there(folder / "result.json") ? 1 : 0;
  }
  return fmt::format("{} of {} seeds finished", finished, record.seeds);
}

std::string describe_run(const fs::path& directory) {
  try {
    const RunRecord record = read_record(directory);
    const std::string seeds = record.seeds == 0   ? fmt::format("seed {}", record.seed)
                              : record.seeds == 1 ? "seed 0"
                                                  : fmt::format("seeds 0 to {}", record.seeds - 1);
    return fmt::format("{}{} on {}, {}, {}", record.pretrain ? "pretraining by " : "",
                       setting_of(record, "method"), record.dataset, seeds,
                       state_of(directory, record));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return "a run whose config.toml cannot be read";
  }
}

}  // namespace

FolderContents look_into(const fs::path& directory) {
  FolderContents contents;
  contents.run = holds_run(directory);
  std::vector<fs::path> named;
  for (const fs::directory_entry& entry : entries_of(directory)) {
    const std::string name = entry.path().filename().string();
    const fs::file_type type = entry.symlink_status().type();
    if (name == folder_lock_name) continue;
    if (type == fs::file_type::directory) {
      if (is_part(name)) {
        add_part(contents, entry.path());
      } else {
        (is_output(name) ? contents.foreign : contents.others).push_back(entry.path());
      }
    } else if (type == fs::file_type::symlink && is_part(name)) {
      contents.foreign.push_back(entry.path());
    } else if (is_output(name_of_part(name))) {
      contents.leftovers.push_back(entry.path());
    } else if (is_output(name)) {
      named.push_back(entry.path());
    } else {
      contents.others.push_back(entry.path());
    }
  }
  std::vector<fs::path> outputs;
  for (const fs::path& path : named) {
    const std::string name = path.filename().string();
    if (name == "dataset.toml") {
      // Written before config.toml, and a name that users have files of.
      const bool own = is_own_dataset_file(path);
      (!own ? contents.foreign : contents.run ? outputs : contents.leftovers).push_back(path);
    } else if (name == link_output) {
      if (contents.links) {
        contents.outputs.insert(contents.outputs.begin(), path);
      } else {
        contents.foreign.push_back(path);
      }
    } else {
      (contents.run ? outputs : contents.foreign).push_back(path);
    }
  }
  const auto place = [](const fs::path& path) {
    return std::find(run_outputs.begin(), run_outputs.end(), path.filename().string());
  };
  std::sort(outputs.begin(), outputs.end(),
            [&](const fs::path& a, const fs::path& b) { return place(a) < place(b); });
  append(contents.outputs, outputs);
  return contents;
}

std::string describe_contents(const fs::path& directory) {
  if (holds_run(directory)) return describe_run(directory);
  std::vector<fs::path> splits;
  for (const fs::directory_entry& entry : entries_of(directory)) {
    if (is_numbered(entry.path(), "split-")) splits.push_back(entry.path());
  }
  if (splits.empty()) return "nothing of creg's";
  return fmt::format("link prediction on {} edge split{}: {}", splits.size(),
                     splits.size() == 1 ? "" : "s", describe_run(splits.front()));
}

}  // namespace creg
