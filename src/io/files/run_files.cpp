#include "io/run_files.h"

#include <algorithm>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/seed_folders.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

bool begins_with(const fs::path& path, std::string_view head) {
  return is_file(path) && map_file(path).text().starts_with(head);
}

/// The runs of creg eval link are in folders of this one.
bool holds_links(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return false;
  return std::ranges::any_of(list_folder(directory), [](const fs::path& path) {
    return is_numbered(path, "split-") && holds_run(path);
  });
}

}  // namespace

bool holds_run(const fs::path& directory) {
  return begins_with(directory / "config.toml", run_record_head);
}

bool is_own_dataset_file(const fs::path& path) {
  return begins_with(path, own_dataset_head);
}

void check_output_file(const fs::path& path) {
  check_replaceable(path);
  const std::string name = path.filename().string();
  const fs::path folder = fs::absolute(path).parent_path();
  const bool of_a_run = std::ranges::find(run_outputs, name) != run_outputs.end();
  if ((of_a_run && holds_run(folder)) || (name == link_output && holds_links(folder))) {
    fail_input({.what = "this is the name of what the run in this folder writes itself",
                .file = path.string(),
                .hint = "choose another name: runs are told apart by what is in their folders"});
  }
}

}  // namespace creg
