// What is in a folder that a run is to be written into: whose files they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace creg {

struct FolderContents {
  bool run = false;    ///< it has the config.toml of a run
  bool links = false;  ///< it has folders split-<k> of runs, as creg eval link writes them
  /// What runs wrote, here and in the folders of their seeds and splits. In this order they can be
  /// removed: what is left after a part of them is still known as a run's.
  std::vector<std::filesystem::path> outputs;
  std::vector<std::filesystem::path> folders;  ///< of seeds and splits, inner ones first
  /// What processes that were killed left behind.
  std::vector<std::filesystem::path> leftovers;
  /// Files that have the name of an output and that no run wrote.
  std::vector<std::filesystem::path> foreign;
  std::vector<std::filesystem::path> others;  ///< all else

  bool free() const { return !run && !links && foreign.empty() && others.empty(); }
};

/// Nothing where there is no such folder. Links to other folders are not followed.
FolderContents look_into(const std::filesystem::path& directory);

/// "ml on cora, seed 0, finished", of a folder whose contents are a run or those of creg eval link.
std::string describe_contents(const std::filesystem::path& directory);

}  // namespace creg
