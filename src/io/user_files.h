// What a user's own files are, told from what is in them and from their names: the first step to a
// dataset of them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "creg/core/named_enum.h"
#include "creg/io/dataset.h"

namespace creg {

enum class FileRole {
  edges,
  features,
  labels,
  splits,
  graph,  ///< a whole graph in a form that needs no description
  unknown
};
template <>
struct EnumNames<FileRole> {
  static constexpr std::array<std::string_view, 6> names = {"edges",  "features", "labels",
                                                            "splits", "graph",    "unknown"};
};

struct UserFile {
  std::filesystem::path path;
  FileRole role = FileRole::unknown;
  std::string what;  ///< for people: "2 columns, separated by commas"
};

/// Looks at the first rows of a text and the heads of arrays. A name that says what the file is
/// (edges, features, labels …) decides where the contents leave a choice. A file that cannot be
/// opened is an input error.
UserFile look_at_user_file(const std::filesystem::path& path);

/// What is known of a dataset's files, a line for each.
struct UserFileNotes {
  std::string edges;
  std::string features;
  std::string labels;
  std::string directed;
};

/// The TOML that describes these files, with a comment for every key: paths relative to `folder`,
/// where it is to be. A path that TOML cannot hold is an input error.
std::string describe_user_dataset(const UserDatasetSpec& spec, const UserFileNotes& notes,
                                  const std::filesystem::path& folder);

}  // namespace creg
