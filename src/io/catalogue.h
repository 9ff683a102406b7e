// The datasets that creg knows by name: where they come from, how to tell that the bytes are right,
// and what is done to them by default.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

/// One file to download. What is not known is -1 or empty, never guessed.
struct CatalogueFile {
  std::string_view name;      ///< its original name
  std::int64_t size = -1;     ///< bytes
  std::string_view sha256;    ///< 64 hex digits
  std::string_view git_blob;  ///< 40 hex digits: SHA-1 of "blob SIZE\0" and the bytes
  /// For an archive that readers do not open themselves: what is taken out of it. The archive is
  /// then removed. Empty: the file is kept as it is.
  std::span<const std::string_view> members = {};
  /// For an archive that readers open themselves: a file that shows that somebody unpacked it
  /// here, which serves as well.
  std::string_view unpacked_sign = {};
};

/// Rounded or unknown figures have no place here: -1 is unknown.
struct DatasetFigures {
  std::int64_t nodes = -1;
  std::int64_t edges = -1;
  std::int64_t features = -1;
  std::int64_t classes = -1;
  bool counted = false;  ///< counted in the files; edges are distinct pairs {u, v} with u != v.
                         ///< Otherwise as published with the dataset
  std::int64_t feature_entries = -1;  ///< of sparse features, counted: cells that are not 0
  bool ones = false;                  ///< these are all 1
  std::int64_t arcs = -1;             ///< of a directed graph, counted: pairs (u, v) with u != v
};

struct CatalogueEntry {
  std::string_view name;      ///< what --dataset takes
  std::string_view title;     ///< for people
  std::string_view folder;    ///< below the data folder
  std::string_view format;    ///< a name from the table of formats
  std::string_view base_url;  ///< ends in '/'; a file's address is this and its name
  std::span<const CatalogueFile> files;
  std::string_view licence;
  /// Names of transforms (graph/transforms.h), in the order of application.
  std::span<const std::string_view> transforms = {};
  std::string_view protocol;  ///< of evaluation, by name
  DatasetFigures figures = {};
};

/// All of them, in the order in which they are shown.
std::span<const CatalogueEntry> catalogue();

/// Null when there is none of that name.
const CatalogueEntry* find_dataset(std::string_view name);

/// An input error that suggests the nearest names when there is none of that name.
const CatalogueEntry& dataset_by_name(std::string_view name);

std::vector<std::string> dataset_names();

/// Where the file is published.
std::string file_url(const CatalogueEntry& entry, const CatalogueFile& file);

/// The page docs/datasets.md: `creg data list --markdown` prints it.
std::string catalogue_markdown();

}  // namespace creg
